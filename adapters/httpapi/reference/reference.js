'use strict'
// The page works without this script, except for what has the class js: the theme, the search, copying, the forms that
// send requests, and the commands that send the same.

const root = document.documentElement
root.classList.add('script')
// A browser may keep no storage; then nothing is remembered.
const storage = (kind, name) => {
  try { return kind.getItem(name) } catch { return null }
}
const store = (kind, name, value) => {
  try { value === null ? kind.removeItem(name) : kind.setItem(name, value) } catch { /* not remembered */ }
}
const theme = storage(localStorage, 'theme')
if (theme) root.dataset.theme = theme

document.addEventListener('DOMContentLoaded', () => {
  if (document.body.classList.contains('home')) return
  setUpTheme()
  setUpSearch()
  setUpMenu()
  setUpPosition()
  setUpSchemas()
  setUpCode()
  setUpLogin()
  for (const form of document.querySelectorAll('.try form')) setUpForm(form)
  document.addEventListener('toggle', event => event.target.matches('.try[open]') && look(), true)
})

const find = selector => document.querySelector(selector)
const make = (name, text = '', className = '') => {
  const element = document.createElement(name)
  element.textContent = text
  element.className = className
  return element
}

// base is the server's address, without a slash at its end: the page is in /docs/.
const base = new URL('..', location.href).href.replace(/\/$/, '')

function setUpTheme() {
  find('#theme').addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
    root.dataset.theme = dark ? 'light' : 'dark'
    store(localStorage, 'theme', root.dataset.theme)
  })
}

// setUpSearch lets the navigation show only operations and chapters that have all words. If some are called so, those that
// only have such a field are left out.
function setUpSearch() {
  for (const link of document.querySelectorAll('nav a[href^="#about-"]')) {
    const item = link.parentElement, heading = document.getElementById(link.hash.slice(1))
    let text = ''
    for (let part = heading.nextElementSibling; part && part.tagName !== heading.tagName; part = part.nextElementSibling) text += ' ' + part.textContent
    item.dataset.title = link.textContent.toLowerCase()
    item.dataset.words = item.dataset.title + text.toLowerCase()
  }
  const field = find('#search'), items = [...document.querySelectorAll('nav [data-words]')]
  const shown = () => items.filter(item => !item.hidden)
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    const have = (item, where) => words.every(word => item.dataset[where].includes(word))
    const where = items.some(item => have(item, 'title')) ? 'title' : 'words'
    for (const item of items) item.hidden = !have(item, where)
    for (const group of document.querySelectorAll('nav .group')) {
      group.hidden = words.length > 0 && !group.querySelector('[data-words]:not([hidden])')
    }
    const count = shown().length
    find('#found').textContent = words.length === 0 ? '' : count === 1 ? '1 result' : `${count || 'No'} results`
  })
  const clear = () => {
    field.value = ''
    field.dispatchEvent(new Event('input'))
  }
  field.addEventListener('keydown', event => {
    if (event.key === 'Escape') clear()
    if (event.key === 'Enter') shown()[0]?.querySelector('a').click()
    if (event.key === 'ArrowDown') shown()[0]?.querySelector('a').focus()
    if (event.key === 'ArrowDown') event.preventDefault()
  })
  find('#nav').addEventListener('keydown', event => {
    const links = [...document.querySelectorAll('nav a')].filter(link => link.offsetParent)
    const at = links.indexOf(document.activeElement), step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (at < 0 || !step) return
    event.preventDefault()
    ;(links[at + step] ?? field).focus()
  })
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea, select, dialog')) return
    event.preventDefault()
    showMenu(true)
    field.focus()
  })
}

function showMenu(isOpen) {
  find('#nav').classList.toggle('open', isOpen)
  find('#menu').setAttribute('aria-expanded', isOpen)
}

// setUpMenu opens and closes the navigation of a narrow window.
function setUpMenu() {
  find('#menu').addEventListener('click', () => showMenu(!find('#nav').classList.contains('open')))
  document.addEventListener('click', event => {
    if (event.target.closest('nav a') || !event.target.closest('nav, #menu')) showMenu(false)
  })
  document.addEventListener('keydown', event => event.key === 'Escape' && showMenu(false))
}

// setUpPosition marks in the navigation what is being read, and opens the schema that the address names.
function setUpPosition() {
  const links = new Map([...document.querySelectorAll('nav a')].map(link => [link.hash.slice(1), link]))
  const places = [...links.keys()].map(id => document.getElementById(id)).filter(Boolean)
  let current
  const mark = () => {
    let place
    for (const candidate of places) if (candidate.getBoundingClientRect().top < 140) place = candidate
    const link = links.get(place?.id)
    if (link === current) return
    current?.removeAttribute('aria-current')
    link?.setAttribute('aria-current', 'true')
    current = link
    const nav = find('#nav'), at = link?.getBoundingClientRect(), frame = nav.getBoundingClientRect()
    if (at && (at.top < frame.top + 70 || at.bottom > frame.bottom)) nav.scrollTop += at.top - frame.top - frame.height / 3
  }
  let isWaiting = false
  document.addEventListener('scroll', () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      mark()
    })
  }, {passive: true})
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (target?.matches('details')) target.open = true
  }
  addEventListener('hashchange', open)
  open()
  mark()
}

// setUpSchemas shows the fields of a schema where it is used, once they are asked for. The copies are made before any is
// opened: a schema may contain itself.
function setUpSchemas() {
  const copies = new Map([...document.querySelectorAll('.schema')].map(schema => [schema.id, schema.lastElementChild.cloneNode(true)]))
  document.addEventListener('toggle', event => {
    const link = event.target.querySelector?.(':scope > div > a[data-schema]')
    if (link && event.target.open) link.replaceWith(...copies.get(link.hash.slice(1)).cloneNode(true).childNodes)
  }, true)
}

// setUpCode copies code, and colours JSON where it is seen.
function setUpCode() {
  document.addEventListener('click', async event => {
    const button = event.target.closest('.copy')
    if (!button) return
    const text = button.parentElement.querySelector('code').textContent
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    } catch { // without TLS a browser may have no clipboard
      getSelection().selectAllChildren(button.parentElement.querySelector('code'))
      button.textContent = 'Selected'
    }
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
  if (!('highlights' in CSS)) return
  for (const kind of ['json-key', 'json-string', 'json-literal']) CSS.highlights.set(kind, new Highlight())
  const seen = new IntersectionObserver(entries => {
    for (const {isIntersecting, target} of entries) {
      if (!isIntersecting) continue
      seen.unobserve(target)
      colour(target)
    }
  }, {rootMargin: '300px'})
  for (const code of document.querySelectorAll('pre code')) if (/^[[{]/.test(code.textContent)) seen.observe(code)
}

const token = /"(?:[^"\\]|\\.)*"(\s*:)?|\b(?:true|false|null|-?\d[\d.eE+-]*)\b/g

function colour(code) {
  const text = code.firstChild
  if (!text || code.childNodes.length > 1 || !('highlights' in CSS)) return
  for (const match of text.data.matchAll(token)) {
    const range = new Range()
    range.setStart(text, match.index)
    range.setEnd(text, match.index + match[0].length - (match[1]?.length ?? 0))
    CSS.highlights.get(match[1] ? 'json-key' : match[0][0] === '"' ? 'json-string' : 'json-literal').add(range)
  }
}

// The session is the token of the person who logged in and their name.
let session = JSON.parse(storage(sessionStorage, 'session'))
let afterLogin = null

function setSession(value) {
  session = value
  store(sessionStorage, 'session', value && JSON.stringify(value))
  showSession()
}

function showSession() {
  find('#who').textContent = session ? session.name : ''
  find('#login-open').hidden = Boolean(session)
  find('#logout').hidden = !session
  for (const form of document.querySelectorAll('.try form')) showCommand(form)
  hasLooked = false
  if (session) look()
}

// The examples of the document stand for what a server has. seen has this server's own by the examples: from what the page
// reads once a form is opened or a person logs in, and from the answers to what people send.
const seen = new Map()
let hasLooked = false

const created = {createEvent: '4711', createComment: '88', createImage: '801', createPlate: '905', subscribe: '301', createOrder: '5001'}

// look asks the server for what the caller has.
async function look() {
  if (hasLooked) return
  hasLooked = true
  const get = async path => {
    try {
      const response = await fetch(base + path, {headers: session ? {Authorization: 'Token ' + session.key} : {}})
      return response.ok ? (await response.json()).data : null
    } catch { return null }
  }
  const categories = await get('/api/feed/categories/')
  const publications = await Promise.all((categories ?? []).slice(0, 5).map(({id}) => get(`/api/feed/items/${id}/?type=publication&page_size=1`)))
  notice({31: categories?.[0]?.id, 501: publications.flat()[0]?.entity_id})
  if (!session) return
  const me = await get('/api/user/profile/')
  if (!me) return
  const [events, orders, images, follows, news, keys] = await Promise.all([
    '/api/xfile/event/?page_size=20', '/api/pay/order/?page_size=1', `/api/user/user-image/?page_size=1&uid=${me.uid}`,
    '/api/subscription/user-subscription/?page_size=1&entity_type=100', '/api/user/notification/?page_size=1', '/api/user/session/?page_size=2',
  ].map(get))
  const mine = events?.flatMap(event => event.comments).find(comment => comment.user?.uid === me.uid)
  const plate = events?.flatMap(event => event.plates)[0]
  const address = plate && new URL(plate.photo, base)
  notice({
    12: me.uid, '12-md.png': last(me.avatars?.sizes?.md?.path ?? me.avatar), 7: follows?.[0]?.followed_user?.uid, 301: follows?.[0]?.id,
    林: follows?.[0]?.followed_user?.lastname, 512: news?.[0]?.id, 4711: events?.[0]?.id, 4712: events?.[1]?.id, 88: mine?.id,
    905: plate?.id, 5001: orders?.[0]?.id, 801: images?.[0]?.id, '3fJ2kQ9vXw7Zr1.jpg': last(images?.[0]?.img),
    41: (keys?.find(key => !key.current) ?? keys?.[0])?.id,
    '8sT4mW2cYb6Nq5.jpg': last(plate?.photo), 1795240800: address?.searchParams.get('expires'), Zk1vQw: address?.searchParams.get('signature'),
  })
  if (!me.is_staff) return
  const [reports, runs, due] = await Promise.all([
    '/api/back-office/v1/report/?state=open&page_size=1', '/api/back-office/v1/import/?page_size=100', '/api/pay-admin/v1/payment/?state=refund_due&page_size=1',
  ].map(get))
  notice({23: reports?.[0]?.owner?.uid, 61: (runs?.find(run => run.rejected > 0) ?? runs?.[0])?.id, 63: reports?.[0]?.id, 71: due?.[0]?.id})
}

// last returns the last part of an address's path.
const last = address => address && new URL(address, base).pathname.split('/').pop()

// notice remembers what the server has, and fills it into the forms that nobody has changed.
function notice(values) {
  for (const [example, value] of Object.entries(values)) if (value !== undefined && value !== null) seen.set(example, String(value))
  for (const form of document.querySelectorAll('.try form')) fillIn(form)
  for (const code of document.querySelectorAll('.typescript code')) {
    code.dataset.example ??= code.textContent
    code.textContent = withSeen(code.dataset.example)
  }
}

// withSeen returns a value, or a text with values, in which examples are replaced by what the server has.
const withSeen = text => seen.get(text) ?? text.replace(/(?<=(?:^|[:[,])\s*)\d+(?=\s*(?:[,}\]]|$))/g, number => seen.get(number) ?? number)

function fillIn(form) {
  for (const option of form.querySelectorAll('.examples option')) {
    option.dataset.example ??= option.value
    option.value = withSeen(option.dataset.example)
  }
  for (const field of form.querySelectorAll('input[data-in]:not([type=file]), textarea[data-in]')) {
    field.dataset.example ??= field.defaultValue
    if (field.value === field.defaultValue) field.value = field.defaultValue = withSeen(field.dataset.example)
  }
  showCommand(form)
}

function openLogin(then = null) {
  afterLogin = then
  find('#login-problem').textContent = ''
  showForm('#enter')
  find('#login').showModal()
}

// showForm shows one of the dialog's forms.
function showForm(selector) {
  for (const form of document.querySelectorAll('#login form')) form.hidden = !form.matches(selector)
  find('#login').setAttribute('aria-labelledby', find(selector + ' h2').id)
  find(selector + ' input').focus()
}

function setUpLogin() {
  const dialog = find('#login')
  find('#login-open').addEventListener('click', () => openLogin())
  for (const button of dialog.querySelectorAll('.close')) button.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => { afterLogin = null })
  find('#enter').addEventListener('submit', event => {
    event.preventDefault()
    logIn(find('#username').value, find('#password').value, find('#username').value)
  })
  if (find('#join')) setUpJoin()
  for (const person of dialog.querySelectorAll('.person')) {
    person.addEventListener('click', () => logIn(person.dataset.username, person.dataset.password, person.firstChild.textContent))
  }
  find('#logout').addEventListener('click', async () => {
    const key = session.key
    setSession(null)
    try {
      await fetch(base + '/api/auth/logout/', {method: 'POST', headers: {Authorization: 'Token ' + key}})
    } catch { /* the server is gone; the page has forgotten the token all the same */ }
  })
  showSession()
}

// post sends the fields and returns the data of the answer, or null after it has shown the problem.
async function post(path, fields, problem) {
  problem.textContent = ''
  try {
    const response = await fetch(base + path, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(fields)})
    const body = await response.json()
    if (response.ok) return body.data
    problem.textContent = Object.values(body.data).flat().join(' ')
  } catch {
    problem.textContent = 'The server does not answer.'
  }
  return null
}

async function logIn(username, password, name) {
  enter(await post('/api/auth/login/', {username, password}, find('#login-problem')), name)
}

// enter uses the key of a login from now on, if there is one, and goes on with what had asked for it.
function enter(login, name) {
  if (!login) return
  setSession({key: login.key, name})
  for (const form of document.querySelectorAll('#login form')) form.reset()
  const then = afterLogin
  find('#login').close()
  then?.()
}

// setUpJoin lets people make an account with a code that is sent to their telephone.
function setUpJoin() {
  const form = find('#join'), {username, code} = form.elements
  const button = find('#join-code'), sent = find('#join-sent'), problem = find('#join-problem')
  find('#join-open').addEventListener('click', () => {
    if (!username.value) username.value = find('#username').value
    sent.textContent = problem.textContent = ''
    showForm('#join')
  })
  find('#join-back').addEventListener('click', () => showForm('#enter'))
  button.addEventListener('click', async () => {
    if (!username.reportValidity()) return
    sent.textContent = ''
    button.disabled = true
    const asked = await post('/api/auth/code/', {username: username.value, purpose: 'sign_up'}, problem)
    button.disabled = false
    if (!asked) return
    sent.textContent = `A code is on its way. It is good for ${asked.expires_in / 60} minutes.`
    if (document.activeElement === button || !form.matches(':focus-within')) code.focus() // else the person types already
  })
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(form))
    enter(await post('/api/auth/sign-up/', fields, problem), fields.username)
  })
}

// requestOf returns what the form describes.
function requestOf(form) {
  const {method, path, auth} = form.dataset
  const request = {method, path, headers: [], parts: [], body: undefined, contentType: ''}
  if (auth === 'required' || auth === 'optional' && session) request.headers.push(['Authorization', 'Token ' + (session?.key ?? '<key>')])
  const query = new URLSearchParams()
  for (const field of form.querySelectorAll('[data-in]')) {
    const {in: place} = field.dataset, {name, value} = field
    if (field.closest('fieldset')?.disabled) continue
    if (place === 'path') {
      request.path = request.path.replace(`{${name}}`, () => value.split('/').map(encodeURIComponent).join('/'))
    } else if (place === 'body') {
      request.body = value
      request.contentType = field.closest('fieldset').dataset.media
    } else if (value !== '' && place === 'query') query.append(name, value)
    else if (value !== '' && place === 'header') request.headers.push([name, value])
    else if (value !== '' && place === 'form') {
      const values = field.files ?? ('many' in field.dataset ? value.split(',').map(word => word.trim()) : [value])
      request.parts.push(...[...values].map(part => [name, part]))
    }
  }
  if (String(query)) request.path += '?' + query
  if (request.contentType) request.headers.push(['Content-Type', request.contentType])
  return request
}

const quote = word => `'${word.replaceAll("'", "'\\''")}'`

// showCommand writes the command of what the form describes.
function showCommand(form) {
  const {method, path, headers, parts, body} = requestOf(form)
  const isImplied = method === 'GET' || method === 'POST' && (body !== undefined || parts.length > 0)
  const lines = [`curl ${isImplied ? '' : `-X ${method} `}${quote(base + path)}`]
  for (const [name, value] of headers) lines.push(`-H ${quote(`${name}: ${value}`)}`)
  for (const [name, part] of parts) lines.push(`-F ${quote(`${name}=${part instanceof File ? '@' + part.name : part}`)}`)
  if (body !== undefined) lines.push(`-d ${quote(body)}`)
  if ('picture' in form.dataset) lines.push('-o picture')
  form.closest('.side').querySelector('.curl code').textContent = lines.join(' \\\n  ')
}

function setUpForm(form) {
  const media = form.querySelector('.media'), fieldsets = form.querySelectorAll('fieldset[data-media]')
  media?.addEventListener('change', () => {
    for (const fieldset of fieldsets) fieldset.hidden = fieldset.disabled = fieldset.dataset.media !== media.value
  })
  for (const examples of form.querySelectorAll('.examples')) {
    examples.addEventListener('change', () => {
      const area = examples.closest('fieldset').querySelector('textarea')
      area.dataset.example = examples.selectedOptions[0].dataset.example ?? examples.value
      area.value = area.defaultValue = examples.value
    })
  }
  form.addEventListener('input', () => showCommand(form))
  form.addEventListener('change', () => showCommand(form))
  form.addEventListener('submit', event => {
    event.preventDefault()
    if (form.dataset.auth === 'required' && !session) openLogin(() => send(form))
    else send(form)
  })
}

// streams has the readers of the streams that forms show.
const streams = new Map()

async function send(form) {
  if (streams.has(form)) return streams.get(form).cancel()
  const {method, path, headers, parts, body} = requestOf(form), output = form.parentElement.querySelector('output')
  const button = form.querySelector('.primary')
  const options = {method, headers, body}
  if (parts.length > 0) {
    options.body = new FormData()
    for (const [name, part] of parts) options.body.append(name, part)
  }
  button.disabled = true
  const began = performance.now()
  try {
    const response = await fetch(base + path, options)
    const isStream = response.headers.get('Content-Type') === 'text/event-stream'
    const content = isStream ? null : await response.blob()
    await show(output, response, content, Math.round(performance.now() - began))
    if (isStream) await follow(form, output, response)
    else await learn(form.closest('article').id.slice('op-'.length), method, response, content)
  } catch (error) {
    output.replaceChildren(make('p', `The request failed: ${error.message}`))
  }
  button.disabled = false
}

// follow shows what a stream brings until it ends. Meanwhile the form's button stops it.
async function follow(form, output, response) {
  const button = form.querySelector('.primary'), code = addCode(output)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  streams.set(form, reader)
  button.textContent = 'Stop'
  button.disabled = false
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      code.append(part.value)
      code.parentElement.scrollTop = code.parentElement.scrollHeight
    }
  } catch { /* the connection is broken */ }
  streams.delete(form)
  button.textContent = 'Send'
  output.append(make('p', 'The stream has ended.', 'quiet'))
}

// learn takes what was created for the next requests. After something was removed the page looks again.
async function learn(operation, method, response, content) {
  if (!response.ok) return
  if (created[operation]) notice({[created[operation]]: JSON.parse(await content.text()).data?.id})
  if (method !== 'DELETE') return
  hasLooked = false
  look()
}

// addCode adds an empty block of code to the output.
function addCode(output) {
  const frame = make('div', '', 'code'), pre = make('pre'), code = make('code'), copy = make('button', 'Copy', 'copy')
  pre.tabIndex = 0
  copy.type = 'button'
  pre.append(code)
  frame.append(pre, copy)
  output.append(frame)
  return code
}

// show writes the response into the output; without a content when it is a stream.
async function show(output, response, content, duration) {
  const line = make('p')
  line.append(make('span', response.status, `status s${String(response.status)[0]}`), ` ${response.statusText} · ${duration} ms${content ? ` · ${content.size} bytes` : ''}`)
  const headers = make('details', '', 'inside'), list = make('pre')
  list.append(make('code', [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')))
  headers.append(make('summary', 'Headers'), list)
  output.replaceChildren(line, headers)
  if (!content?.size) return
  if (content.type.startsWith('image/')) {
    const picture = make('img')
    picture.alt = 'The returned picture'
    picture.onload = () => URL.revokeObjectURL(picture.src)
    picture.src = URL.createObjectURL(content)
    output.append(picture)
    return
  }
  const text = await content.text(), code = addCode(output)
  let value
  try { value = JSON.parse(text) } catch { /* not JSON: shown as it is */ }
  code.textContent = value === undefined ? text : JSON.stringify(value, null, 2)
  colour(code)
  const links = new Set(code.textContent.match(/https?:\/\/[^\s"\\<>]+/g))
  if (links.size > 0) {
    const all = make('details', '', 'inside'), items = make('ul')
    for (const address of [...links].slice(0, 50)) {
      const item = make('li'), link = make('a', address)
      link.href = address
      link.target = '_blank'
      link.rel = 'noopener noreferrer'
      item.append(link)
      items.append(item)
    }
    all.append(make('summary', links.size === 1 ? '1 link' : `${links.size} links`), items)
    output.append(all)
  }
  if (value?.code === 'AUTHENTICATION_FAILED') setSession(null)
}
