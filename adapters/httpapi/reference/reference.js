'use strict'
// The page works without this script, except for what has the class js: the theme, the search, copying, and the forms
// that send requests.

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

// setUpSearch lets the navigation show only operations that have all words.
function setUpSearch() {
  const field = find('#search'), items = [...document.querySelectorAll('nav [data-words]')]
  const shown = () => items.filter(item => !item.hidden)
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const item of items) item.hidden = !words.every(word => item.dataset.words.includes(word))
    for (const group of document.querySelectorAll('nav .group')) {
      group.hidden = words.length > 0 && !group.querySelector('[data-words]:not([hidden])')
    }
    const count = shown().length
    find('#found').textContent = words.length === 0 ? '' : count === 1 ? '1 operation' : `${count || 'No'} operations`
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

// setUpCode copies code, names the server in commands, and colours JSON where it is seen.
function setUpCode() {
  for (const code of document.querySelectorAll('.curl code')) code.textContent = code.textContent.replace('https://plaza.example', () => base)
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
  for (const form of document.querySelectorAll('.try[open] form')) showCommand(form)
}

function openLogin(then = null) {
  afterLogin = then
  find('#login-problem').textContent = ''
  find('#login').showModal()
}

function setUpLogin() {
  const dialog = find('#login')
  find('#login-open').addEventListener('click', () => openLogin())
  find('#login-close').addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => { afterLogin = null })
  dialog.querySelector('form').addEventListener('submit', event => {
    event.preventDefault()
    logIn(find('#username').value, find('#password').value, find('#username').value)
  })
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

async function logIn(username, password, name) {
  const problem = find('#login-problem'), dialog = find('#login')
  problem.textContent = ''
  try {
    const response = await fetch(base + '/api/auth/login/', {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({username, password}),
    })
    const body = await response.json()
    if (!response.ok) {
      problem.textContent = Object.values(body.data).flat().join(' ')
      return
    }
    setSession({key: body.data.key, name})
    find('#password').value = ''
    const then = afterLogin
    dialog.close()
    then?.()
  } catch {
    problem.textContent = 'The server does not answer.'
  }
}

// requestOf returns what the form describes.
function requestOf(form) {
  const {method, path, auth} = form.dataset
  const request = {method, path, headers: [], parts: [], body: undefined, contentType: ''}
  if (auth === 'required' || auth === 'optional' && session) request.headers.push(['Authorization', 'Token <key>'])
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
    examples.addEventListener('change', () => { examples.closest('fieldset').querySelector('textarea').value = examples.value })
  }
  form.addEventListener('input', () => showCommand(form))
  form.addEventListener('change', () => showCommand(form))
  form.addEventListener('submit', event => {
    event.preventDefault()
    if (form.dataset.auth === 'required' && !session) openLogin(() => send(form))
    else send(form)
  })
}

async function send(form) {
  const {method, path, headers, parts, body} = requestOf(form), output = form.parentElement.querySelector('output')
  const button = form.querySelector('.primary')
  const options = {method, headers: headers.map(([name, value]) => [name, name === 'Authorization' ? 'Token ' + session?.key : value]), body}
  if (parts.length > 0) {
    options.body = new FormData()
    for (const [name, part] of parts) options.body.append(name, part)
  }
  button.disabled = true
  const began = performance.now()
  try {
    const response = await fetch(base + path, options)
    const content = await response.blob()
    await show(output, response, content, Math.round(performance.now() - began))
  } catch (error) {
    output.replaceChildren(make('p', `The request failed: ${error.message}`))
  }
  button.disabled = false
}

// show writes the response into the output.
async function show(output, response, content, duration) {
  const line = make('p')
  line.append(make('span', response.status, `status s${String(response.status)[0]}`), ` ${response.statusText} · ${duration} ms · ${content.size} bytes`)
  const headers = make('details', '', 'inside'), list = make('pre')
  list.append(make('code', [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')))
  headers.append(make('summary', 'Headers'), list)
  output.replaceChildren(line, headers)
  if (content.size === 0) return
  if (content.type.startsWith('image/')) {
    const picture = make('img')
    picture.alt = 'The returned picture'
    picture.onload = () => URL.revokeObjectURL(picture.src)
    picture.src = URL.createObjectURL(content)
    output.append(picture)
    return
  }
  const text = await content.text(), frame = make('div', '', 'code'), pre = make('pre'), code = make('code'), copy = make('button', 'Copy', 'copy')
  let value
  try { value = JSON.parse(text) } catch { /* not JSON: shown as it is */ }
  code.textContent = value === undefined ? text : JSON.stringify(value, null, 2)
  pre.tabIndex = 0
  copy.type = 'button'
  pre.append(code)
  frame.append(pre, copy)
  output.append(frame)
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
