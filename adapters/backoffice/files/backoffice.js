'use strict'

// Keyboard shortcuts. The pages work without this script.
{
  const rows = () => [...document.querySelectorAll('main table a, main .card > p:first-child > a')]
  const move = step => {
    const all = rows(), at = all.indexOf(document.activeElement)
    all[Math.min(Math.max(at + step, 0), all.length - 1)]?.focus()
  }
  const keys = {
    '/': () => document.querySelector('main input[type=search]')?.focus(),
    '?': () => {
      const help = document.querySelector('#keys')
      if (!help) return
      help.open = !help.open
      if (help.open) help.scrollIntoView()
    },
    j: () => move(1),
    k: () => move(-1),
  }
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, textarea, select')) return
    const section = document.querySelectorAll('.sections a')[event.key - 1]
    if (section) section.click()
    else if (keys[event.key]) keys[event.key]()
    else return
    event.preventDefault()
  })
}
