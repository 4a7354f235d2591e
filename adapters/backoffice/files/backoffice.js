'use strict'

// Keyboard shortcuts. The pages work without this script.
{
  const cards = 'main tbody tr, main .card'
  const move = step => {
    const all = [...document.querySelectorAll(cards)].map(row => row.hasAttribute('tabindex') ? row : row.querySelector('a')).filter(Boolean)
    const at = all.findIndex(one => one.closest(cards) === document.activeElement.closest(cards))
    all[Math.min(Math.max(at + step, 0), all.length - 1)]?.focus()
  }
  // Chooses the button with the key in the card that has the focus, or in the first card. Enter in the reason presses the
  // first button of the form.
  const choose = key => {
    const card = document.activeElement.closest('main .card') ?? document.querySelector('main .card')
    const button = card?.querySelector(`button[data-key="${key}"]`)
    if (!button) return
    for (const one of button.form.querySelectorAll('button')) one.classList.toggle('chosen', one === button)
    button.parentElement.prepend(button)
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
  const on = document.querySelector('#keys-on')
  if (on) {
    on.checked = localStorage.getItem('keys') !== 'off'
    on.parentElement.hidden = false
    on.addEventListener('change', () => localStorage.setItem('keys', on.checked ? 'on' : 'off'))
  }
  document.addEventListener('keydown', event => {
    if (!on?.checked || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, textarea, select')) return
    const section = document.querySelectorAll('.sections a')[event.key - 1]
    if (section) section.click()
    else if (keys[event.key]) keys[event.key](event.key)
    else return
    event.preventDefault()
  })
}
