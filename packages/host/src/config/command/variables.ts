/**
 * The variables that text of a configuration may hold, in every program's spelling, as pieces: read once here, then
 * looked up by `resolve-target.ts` at the moment of use, spelled anew for other programs by `entry-out.ts`, and shown by
 * `show-command.ts`. One pass, no nesting; `$${` stands for `${` itself.
 */

import { replaceWebTokens } from '@portico/sdk/internal-text'

export type Piece =
  | string
  | { readonly kind: 'env'; readonly name: string; readonly fallback?: string }
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'secret'; readonly name: string }
  | { readonly kind: 'place'; readonly name: PlaceName }
  /** A kind of variable that only its own program understands, such as `${command:…}`. */
  | { readonly kind: 'unknown'; readonly name: string }

export type Variable = Exclude<Piece, string>

const PLACES = ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator', '/', 'cwd'] as const
export type PlaceName = (typeof PLACES)[number]

export function toPieces(text: string): Piece[] {
  const pieces: Piece[] = []
  let literal = ''
  let at = 0
  let close = -1
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', at)) {
    const isEscaped = open > at && text[open - 1] === '$'
    // Looked for once, however many openings come before it; when there is none, no more is a variable.
    if (close < open) close = text.indexOf('}', open)
    if (close === -1) close = Number.POSITIVE_INFINITY
    const isOurs = !isEscaped && close - open <= MAX_VARIABLE
    const variable = isOurs ? toVariable(text.slice(open + 2, close)) : undefined
    literal += text.slice(at, isEscaped ? open - 1 : open)
    if (variable === undefined) {
      literal += '${'
      at = open + 2
      continue
    }
    if (literal !== '') pieces.push(literal)
    literal = ''
    pieces.push(variable)
    at = close + 1
  }
  literal += text.slice(at)
  if (literal !== '') pieces.push(literal)
  return pieces
}

export function variablesOf(text: string): Variable[] {
  return toPieces(text).filter((piece): piece is Variable => typeof piece !== 'string')
}

/** The text that reads as these pieces. */
export function fromPieces(pieces: readonly Piece[], spell: (variable: Variable) => string = spellVariable): string {
  return pieces.map((piece) => (typeof piece === 'string' ? escapeText(piece) : spell(piece))).join('')
}

/** Literal text, so that nothing in it reads as a variable. */
export function escapeText(text: string): string {
  // By a function, because a dollar in a replacement has a meaning of its own.
  return text.replaceAll('${', () => '$${')
}

/** Our own spelling, which tells every kind apart. */
export function spellVariable(variable: Variable): string {
  if (variable.kind === 'place' || variable.kind === 'unknown') return `\${${variable.name}}`
  if (variable.kind !== 'env') return `\${${variable.kind}:${variable.name}}`
  const plain = PLAIN_NAME.test(variable.name) && !isPlace(variable.name) ? variable.name : `env:${variable.name}`
  return variable.fallback === undefined ? `\${${plain}}` : `\${${plain}:-${variable.fallback}}`
}

/** Words that a name has when its value is nobody else's business. */
export function isSecretName(name: string): boolean {
  return /(?:^|[^a-z])(?:auth|authorization|pat|pwd|pin)(?![a-z])|token|secret|passw|passphrase|credential|cookie|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|(?:^|[-_ ])key$/i.test(
    name,
  )
}

/** What well-known issuers' keys look like, written out where everybody can read them. */
export function isSecretValue(value: string): boolean {
  return (
    /\b(?:gh[pousr]_\w{20}|github_pat_\w{20}|sk-[\w-]{20}|xox[abprs]-[\w-]{10}|AKIA[0-9A-Z]{16}|AIza[\w-]{30}|glpat-[\w-]{16}|npm_\w{30})/.test(
      value,
    ) || replaceWebTokens(value, '', [10, 10, 0]) !== value
  )
}

const PLAIN_NAME = /^[A-Za-z_]\w*$/

function toVariable(inside: string): Variable | undefined {
  if (inside.includes('\n')) return undefined
  if (isPlace(inside)) return { kind: 'place', name: inside }
  const [, prefix, rest] = /^([A-Za-z]\w*):(?!-)(.+)$/.exec(inside) ?? []
  if (prefix === undefined || rest === undefined) return PLAIN_NAME.test(nameIn(inside)) ? toEnv(inside) : undefined
  if (prefix === 'env') return nameIn(rest) === '' ? undefined : toEnv(rest, inside)
  if (prefix === 'input' || prefix === 'secret') return { kind: prefix, name: rest }
  return { kind: 'unknown', name: inside }
}

const MAX_VARIABLE = 1000

function nameIn(text: string): string {
  const cut = text.indexOf(':-')
  return cut === -1 ? text : text.slice(0, cut)
}

function toEnv(text: string, inside = text): Variable {
  const name = nameIn(text)
  if (name === text) return { kind: 'env', name }
  const fallback = text.slice(name.length + 2)
  // A variable within a default is said to be unknown rather than cut in the middle.
  return fallback.includes('${') ? { kind: 'unknown', name: inside } : { kind: 'env', name, fallback }
}

function isPlace(name: string): name is PlaceName {
  // `includes` wants the narrower type; the guard is what makes it so.
  return (PLACES as readonly string[]).includes(name)
}
