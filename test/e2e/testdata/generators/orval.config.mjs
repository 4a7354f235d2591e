// Uploads are forms. Without this orval sends them as JSON, and without a media type.
const form = { contentType: { include: ['multipart/form-data'] } }

export default {
  plaza: {
    input: 'openapi.json',
    output: {
      target: 'orval/plaza.ts',
      client: 'fetch',
      baseUrl: { runtime: "process.env.PLAZA ?? ''" },
      override: { operations: { createImage: form, createPlate: form, setAvatar: form } },
    },
  },
}
