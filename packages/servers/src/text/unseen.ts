/**
 * Takes out of a document what a reader would not see: text that a style keeps from sight is how a page talks to a model
 * behind the back of its owner. Styles are read as far as they stand in the document; sheets elsewhere are not fetched.
 */

/** The part of a parsed document that is used here. */
interface StyledElement {
  readonly localName: string
  readonly parentElement: StyledElement | null
  readonly textContent: string | null
  getAttribute(name: string): string | null
  remove(): void
}

interface StyledDocument {
  querySelectorAll(selector: string): Iterable<StyledElement>
}

const UNSEEN =
  'script, style, template, noscript, iframe, object, embed, svg, canvas, form input, form select, form textarea, [hidden], [aria-hidden="true"]'

export function removeUnseen(document: StyledDocument): void {
  const pageColour = has(document, 'link[rel~="stylesheet"]') ? undefined : 'white'
  const rules = [...document.querySelectorAll('style')].flatMap(({ textContent }) => hidingSelectors(textContent ?? ''))
  for (const element of [...document.querySelectorAll(UNSEEN)]) element.remove()
  for (const selector of rules.slice(0, MAX_RULES)) removeMatches(document, selector)
  const looks: Looks = new Map()
  for (const element of [...document.querySelectorAll('[style], font[color]')]) {
    if (hides(lookOf(element, looks).style) || isColouredAway(element, looks, pageColour)) element.remove()
  }
}

const MAX_RULES = 300
const MAX_SHEET = 200_000
/** Pages that only scripts bring to sight hide these for a moment. */
const NEVER = new Set(['html', 'body'])

function has(document: StyledDocument, selector: string): boolean {
  for (const _ of document.querySelectorAll(selector)) return true
  return false
}

function removeMatches(document: StyledDocument, selector: string): void {
  try {
    for (const element of [...document.querySelectorAll(selector)]) if (!NEVER.has(element.localName)) element.remove()
  } catch {
    // A selector that the parser does not know hides nothing here.
  }
}

/** The selectors of a sheet whose rules keep things from sight on a screen, whatever its width. */
function hidingSelectors(sheet: string): string[] {
  const css = sheet.slice(0, MAX_SHEET).replace(/\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)/g, '')
  const found: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < css.length; at++) {
    if (css[at] === '{') {
      const head = css.slice(start, at).trim()
      const end = css.indexOf('}', at)
      if (end === -1) break
      if (head.startsWith('@')) depth++
      else {
        if (depth === 0 && head.length < 500 && hides(css.slice(at + 1, end))) found.push(...head.split(','))
        at = end
      }
      start = at + 1
    } else if (css[at] === '}') {
      depth = Math.max(0, depth - 1)
      start = at + 1
    }
  }
  // What applies to a state (`:hover`) or to a part that has no text of the page (`::before`) hides nothing.
  return found.map((selector) => selector.trim()).filter((selector) => selector !== '' && !selector.includes(':'))
}

type Style = ReadonlyMap<string, string>

/** Whether declarations alone keep a text from sight. */
function hides(declarations: string | Style): boolean {
  const style = typeof declarations === 'string' ? parseStyle(declarations) : declarations
  return HIDING.some(([property, pattern, with_]) => {
    const value = style.get(property)
    return (
      value !== undefined && pattern.test(value.slice(0, MAX_VALUE)) && (with_ === undefined || isSet(style, with_))
    )
  })
}

/** Of a value, more than hides anything. */
const MAX_VALUE = 500
const ZERO = /^0(?:\.0+)?(?:[a-z]{1,4}|%)?$/
const FAR = /^-\d{3,}(?:\.\d+)?(?:px|pt|r?em|vw|vh|%)?$/
const PLACED = ['position', /absolute|fixed|relative/] as const
const CUT = ['overflow', /hidden|clip/] as const

/** A property, what of it hides, and another property without which it does not. */
const HIDING: readonly (readonly [string, RegExp, (readonly [string, RegExp])?])[] = [
  ['display', /^none/],
  ['visibility', /^(?:hidden|collapse)/],
  ['content-visibility', /^hidden/],
  ['opacity', /^(?:0|0?\.0\d*|0%|[0-4]%)$/],
  ['font-size', /^(?:0|0?\.\d+|1)(?:px|pt|r?em|%)?$/],
  ['color', /^(?:transparent|(?:rgb|hsl)a?\([^)]*[,/]\s*0?(?:\.0+)?%?\s*\))$/],
  ['left', FAR, PLACED],
  ['right', FAR, PLACED],
  ['top', FAR, PLACED],
  ['bottom', FAR, PLACED],
  ['margin-left', FAR],
  ['margin-top', FAR],
  ['text-indent', FAR],
  ['clip', /^rect\(\s*(?:0|1px)/, ['position', /absolute|fixed/]],
  ['clip-path', /inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0|polygon\(\s*0(?:px|%)?\s+0(?:px|%)?\s*,\s*0(?:px|%)?\s+0/],
  ['transform', /scale[xy]?\(\s*0?(?:\.0\d*)?\s*[,)]|translate[xy]?\([^)]*-\d{4,}/],
  ['scale', /^0(?:\.0\d*)?$/],
  ['height', ZERO, CUT],
  ['max-height', ZERO, CUT],
  ['width', ZERO, CUT],
  ['max-width', ZERO, CUT],
]

function isSet(style: Style, [property, pattern]: readonly [string, RegExp]): boolean {
  const value = style.get(property) ?? style.get(`${property}-x`) ?? style.get(`${property}-y`)
  return value !== undefined && pattern.test(value)
}

/** What an element says of how it looks. */
interface Look {
  readonly style: Style
  readonly colour: string | undefined
  /** Undefined where it says nothing of it. */
  readonly background: string | undefined
  /** A class may give it a colour by a rule that is not read here. */
  readonly hasClass: boolean
}

/** Read once for each element: what stands far up is asked for by all that is inside it. */
type Looks = Map<StyledElement, Look>

function lookOf(element: StyledElement, looks: Looks): Look {
  const known = looks.get(element)
  if (known !== undefined) return known
  const style = parseStyle(element.getAttribute('style') ?? '')
  const look = {
    style,
    colour: toColour(style.get('color') ?? element.getAttribute('color') ?? ''),
    background:
      style.get('background-color') ?? style.get('background') ?? element.getAttribute('bgcolor') ?? undefined,
    hasClass: element.getAttribute('class') !== null,
  }
  looks.set(element, look)
  return look
}

function parseStyle(text: string): Style {
  const style = new Map<string, string>()
  for (const declaration of text.slice(0, 5000).split(';')) {
    const colon = declaration.indexOf(':')
    if (colon === -1) continue
    const value = declaration
      .slice(colon + 1)
      .toLowerCase()
      .replace(/!\s*important/, '')
      .trim()
    style.set(declaration.slice(0, colon).trim().toLowerCase(), value)
  }
  return style
}

/** Whether a text has the colour of what it stands on. */
function isColouredAway(element: StyledElement, looks: Looks, pageColour: string | undefined): boolean {
  const { colour } = lookOf(element, looks)
  return colour !== undefined && colour === backgroundOf(element, looks, pageColour)
}

const MAX_ANCESTORS = 50

function backgroundOf(element: StyledElement, looks: Looks, pageColour: string | undefined): string | undefined {
  let at: StyledElement | null = element
  for (let steps = 0; at !== null && steps < MAX_ANCESTORS; steps++) {
    const { background, hasClass } = lookOf(at, looks)
    if (background !== undefined) return toColour(background)
    if (at !== element && hasClass && pageColour === undefined) return undefined
    at = at.parentElement
  }
  return pageColour === undefined ? undefined : toColour(pageColour)
}

const NAMES: { readonly [name: string]: string } = { white: 'ffffff', black: '000000', snow: 'fffafa', ivory: 'fffff0' }

/** Six hexadecimal digits, rounded so that what no eye tells apart is one colour. */
function toColour(text: string): string | undefined {
  const value = text.trim().toLowerCase()
  const named = Object.hasOwn(NAMES, value) ? NAMES[value] : undefined
  const [, hex] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(value) ?? []
  const [, red, green, blue] = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(value) ?? []
  const digits = named ?? (hex?.length === 3 ? hex.replace(/./g, '$&$&') : hex)
  const parts = digits === undefined ? [red, green, blue].map(Number) : (digits.match(/../g) ?? []).map(fromHex)
  return parts.some(Number.isNaN) ? undefined : parts.map((part) => Math.round(part / 8)).join(' ')
}

function fromHex(text: string): number {
  return Number.parseInt(text, 16)
}
