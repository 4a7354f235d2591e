import createClient from 'openapi-fetch'
import type { paths } from './openapi-fetch/schema.js'
import { login, picture, server, tags } from './told.js'

const client = createClient<paths>({ baseUrl: server })
const { data } = await client.POST('/api/auth/login/', { body: login })
if (!data) throw new Error('no key')
client.use({ onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${data.data.key}`) })

const { data: me } = await client.GET('/api/user/profile/')
if (!me) throw new Error('no profile')
const { response, error } = await client.POST('/api/user/user-image/', {
  body: { img: '', tags },
  bodySerializer() {
    const form = new FormData()
    form.set('img', picture, 'lake.gif')
    for (const tag of tags) form.append('tags', tag)
    return form
  },
})
if (!response.ok) throw new Error(JSON.stringify(error))
const { data: both } = await client.GET('/api/user/user-image/', { params: { query: { uid: me.data.uid, tags__contains: tags } } })
console.log(both?.data.length)
