// What the three programs do: log in, upload a picture with two tags, and ask for the pictures that have both.
export const server = process.env.PLAZA ?? ''
export const login = { username: process.env.USERNAME ?? '', password: process.env.PASSWORD ?? '' }
export const tags = ['夜', '西湖']
export const base64 = 'R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=='
export const picture = new Blob([Buffer.from(base64, 'base64')], { type: 'image/gif' })
