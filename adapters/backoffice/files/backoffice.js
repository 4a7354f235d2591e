'use strict'

// Keyboard shortcuts. The pages work without this script.
{
  const cards = 'main tbody tr, main .card'
  const move = step => {
    const all = [...document.querySelectorAll(cards)]
    const row = all[Math.min(Math.max(all.indexOf(document.activeElement.closest(cards)) + step, 0), all.length - 1)]
    if (row) (row.hasAttribute('tabindex') ? row : row.querySelector('a'))?.focus()
  }
  // Chooses the button with the key in the card that has the focus, or in the first one. Enter in the reason presses it.
  const choose = key => {
    const card = document.activeElement.closest('main .card') ?? document.querySelector('main .card')
    const button = card?.querySelector(`button[data-key="${key}"]`)
    if (!button) return
    for (const one of button.form.querySelectorAll('button')) one.classList.toggle('chosen', one === button)
    button.form.elements.reason.focus()
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
    h: choose,
    d: choose,
    r: choose,
  }
  document.addEventListener('keydown', event => {
    const chosen = event.key === 'Enter' && event.target.matches('[name=reason]') && event.target.form.querySelector('.chosen')
    if (chosen && !event.isComposing) {
      event.preventDefault()
      chosen.click()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, textarea, select')) return
    const section = document.querySelectorAll('.sections a')[event.key - 1]
    if (section) section.click()
    else if (keys[event.key]) keys[event.key](event.key)
    else return
    event.preventDefault()
  })
}
