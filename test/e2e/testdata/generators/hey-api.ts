import { client } from './hey-api/client.gen.js'
import { createImage, listImages, login as logIn, profile } from './hey-api/sdk.gen.js'
import { base64, login, server, tags } from './told.js'

client.setConfig({ baseUrl: server, throwOnError: true })
const { data } = await logIn({ body: login, throwOnError: true })
client.setConfig({ auth: data.data.key })
const { data: me } = await profile({ throwOnError: true })
await createImage({ body: { img: base64, tags }, throwOnError: true })
const { data: both } = await listImages({ query: { uid: me.data.uid, tags__contains: tags }, throwOnError: true })
console.log(both.data.length)
