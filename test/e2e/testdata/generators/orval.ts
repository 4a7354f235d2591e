import { createImage, profile, listImages, login as logIn } from './orval/plaza.js'
import { login, picture, tags } from './told.js'

const entered = await logIn(login)
if (entered.status !== 200) throw new Error(JSON.stringify(entered.data))
const headers = { Authorization: `Bearer ${entered.data.data.key}` }
const me = await profile({ headers })
if (me.status !== 200) throw new Error(JSON.stringify(me.data))
const made = await createImage({ img: picture, tags }, { headers })
if (made.status !== 201) throw new Error(JSON.stringify(made.data))
const both = await listImages({ uid: me.data.data.uid, tags__contains: tags }, { headers })
if (both.status !== 200) throw new Error(JSON.stringify(both.data))
console.log(both.data.data.length)
