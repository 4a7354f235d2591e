// What the page shows with less contrast than WCAG 2.2 asks for at level AA: 4.5:1 for text, 3:1 for large text and for the edges of
// controls. Hidden and disabled elements don't count.
(() => {
	const parse = colour => {
		const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number)
		return {rgb: [r, g, b], a}
	}
	const over = (front, back) => front.rgb.map((part, i) => part * front.a + back[i] * (1 - front.a))
	const behind = element => {
		if (!element) return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255]
		const colour = parse(getComputedStyle(element).backgroundColor)
		return colour.a === 1 ? colour.rgb : over(colour, behind(element.parentElement))
	}
	const luminance = rgb => {
		const [r, g, b] = rgb.map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
		return 0.2126 * r + 0.7152 * g + 0.0722 * b
	}
	const ratio = (colour, back) => {
		const [bright, dark] = [luminance(over(parse(colour), back)), luminance(back)].sort((a, b) => b - a)
		return (bright + 0.05) / (dark + 0.05)
	}
	const found = new Set()
	const judge = (element, what, colour, back, least) => {
		const got = ratio(colour, back)
		if (got < least) found.add(what + ' of ' + element.tagName + '.' + element.className + ': ' + got.toFixed(2))
	}
	for (const element of document.querySelectorAll('body, body *')) {
		if (!element.checkVisibility({visibilityProperty: true}) || element.closest(':disabled')) continue
		const style = getComputedStyle(element), size = parseFloat(style.fontSize)
		const isLarge = size >= 24 || size >= 18.66 && style.fontWeight >= 700
		if ([...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim())) {
			judge(element, 'text', style.color, behind(element), isLarge ? 3 : 4.5)
		}
		if (!element.matches('input, select, textarea, button')) continue
		if (element.placeholder) {
			const hint = getComputedStyle(element, '::placeholder'), {rgb} = parse(hint.color)
			judge(element, 'placeholder', 'rgba(' + [...rgb, hint.opacity] + ')', behind(element), 4.5)
		}
		if (parseFloat(style.borderTopWidth) > 0) judge(element, 'edge', style.borderTopColor, behind(element.parentElement), 3)
	}
	return [...found]
})()
