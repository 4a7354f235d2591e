'use strict'

// Keeps the page as new as the ledger. It asks for the page once a second while the tab is
// shown, at most one request at a time, and more rarely while the sandbox does not answer.
{
  const often = 1000, rarely = 30000, deadline = 5000 // milliseconds
  const main = document.querySelector('main'), path = main.dataset.path, offline = document.querySelector('#offline')
  let wait = often, timer = 0, asking = false

  const ask = () => {
    clearTimeout(timer)
    if (asking || document.hidden) return
    asking = true
    const request = new XMLHttpRequest() // it parses HTML without a sink that Trusted Types forbid
    request.open('GET', path)
    request.responseType = 'document'
    request.timeout = deadline
    request.onloadend = () => {
      asking = false
      const isAnswer = request.status === 200
      if (isAnswer && request.response?.querySelector('main')) {
        document.title = request.response.title
        update(main, request.response.querySelector('main'))
      }
      offline.hidden = isAnswer
      wait = isAnswer ? often : Math.min(wait * 2, rarely)
      timer = setTimeout(ask, wait)
    }
    request.send()
  }

  // update makes the shown node like the fresh one. Nodes that stay keep their focus, what is
  // selected in them, and whether they are open. Elements with an id are recognised by it.
  const update = (shown, fresh) => {
    if (shown.nodeType !== Node.ELEMENT_NODE) {
      if (shown.data !== fresh.data) shown.data = fresh.data
      return
    }
    for (const {name, value} of fresh.attributes) if (shown.getAttribute(name) !== value) shown.setAttribute(name, value)
    for (const {name} of [...shown.attributes]) if (name !== 'open' && !fresh.hasAttribute(name)) shown.removeAttribute(name)
    let at = shown.firstChild
    for (const child of [...fresh.childNodes]) {
      let same = at
      if (child.id) same = [...shown.children].find(other => other.id === child.id)
      else if (at?.id || at?.nodeName !== child.nodeName) same = null
      if (!same) {
        shown.insertBefore(child, at)
        continue
      }
      if (same === at) at = at.nextSibling
      else shown.insertBefore(same, at)
      update(same, child)
    }
    while (at) {
      const next = at.nextSibling
      at.remove()
      at = next
    }
  }

  if (path) {
    document.addEventListener('visibilitychange', ask)
    timer = setTimeout(ask, often)
  }
}
