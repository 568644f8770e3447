/**
 * The blocks of a Markdown page that a reader would type, with what the page says about running them in comments that no
 * reader sees: `<!-- run: … -->` before the block, its clauses parted by semicolons.
 */

export interface Block {
  readonly page: string
  readonly line: number
  /** What is typed, or saved. */
  readonly code: string
  readonly run: Instructions
  /** The output that the page shows below it; `…` stands for anything. */
  readonly promised?: string
}

/** What the page's comments say about a block; one without any is run and has to end with exit code 0. */
export interface Instructions {
  /** Why it is not run. */
  readonly notHere?: string
  /** The file that a reader saves it as. */
  readonly saveAs?: string
  /** Goes on beside the blocks that follow, once its output holds this. */
  readonly until?: string
  readonly exitCode: number
  /** What is typed when the terminal shows a text. */
  readonly answers: readonly { readonly at: string; readonly type: string }[]
  /** Files of `given/` or of the examples that the reader is supposed to have. */
  readonly given: readonly string[]
  /** What is done in the browser instead; there is nothing to type. */
  readonly deed?: string
  /** The reader has configured a model. */
  readonly model: boolean
  /** What the reader is supposed to have typed before. */
  readonly after?: string
  /** Ctrl-C first in the terminals where earlier blocks still run. */
  readonly stopOthers: boolean
  /** What it is called in the table of times. */
  readonly row?: string
  /** Too slow for `npm test`. */
  readonly long: boolean
}

/** Where and after what a page is read. */
export interface Page {
  readonly name: string
  /** In a copy of this repository instead of an empty folder. */
  readonly inCheckout: boolean
  /** The reader has `portico` in the path. */
  readonly installed: boolean
  readonly long: boolean
  /** That have to be free, since the page names them. */
  readonly ports: readonly number[]
  readonly blocks: readonly Block[]
}

type Clause = (instructions: Instructions, words: readonly string[]) => Instructions

const CLAUSES: readonly (readonly [RegExp, Clause])[] = [
  [/^not here, (.+)$/, (all, [notHere = '']) => ({ ...all, notHere })],
  [/^save as (\S+)$/, (all, [saveAs = '']) => ({ ...all, saveAs })],
  [/^background until "(.+)"$/, (all, [until = '']) => ({ ...all, until })],
  [/^exit code (\d+)$/, (all, [code]) => ({ ...all, exitCode: Number(code) })],
  [/^at "(.+)" type "(.*)"$/, (all, [at = '', type = '']) => ({ ...all, answers: [...all.answers, { at, type }] })],
  [/^given (\S+)$/, (all, [file = '']) => ({ ...all, given: [...all.given, file] })],
  [/^after "(.+)"$/, (all, [after = '']) => ({ ...all, after })],
  [/^with a model$/, (all) => ({ ...all, model: true })],
  [/^stop the others$/, (all) => ({ ...all, stopOthers: true })],
  [/^row "(.+)"$/, (all, [row = '']) => ({ ...all, row })],
  [/^long$/, (all) => ({ ...all, long: true })],
]

const PLAIN: Instructions = { exitCode: 0, answers: [], given: [], model: false, stopOthers: false, long: false }
const FENCE = /((?:^<!-- .* -->\n+)*)^```(\w*)\n([\s\S]*?)^```$|^<!-- do: (?<deed>[^;]+)(?:; (?<clauses>.+))? -->$/gm
const PAGE = /^<!-- page: (.+) -->$/m

export function readPage(name: string, text: string): Page {
  const about = PAGE.exec(text)?.[1]?.split('; ') ?? []
  const ports = about.flatMap((words) => /^needs port (\d+)$/.exec(words)?.[1] ?? [])
  const known = ['in a checkout', 'after npm install -g portico', 'long', ...ports.map((port) => `needs port ${port}`)]
  const unknown = about.find((words) => !known.includes(words))
  if (unknown !== undefined) throw new Error(`${name}: "${unknown}" says nothing about a page`)
  return {
    name,
    inCheckout: about.includes('in a checkout'),
    installed: about.includes('after npm install -g portico'),
    long: about.includes('long'),
    ports: ports.map(Number),
    blocks: readBlocks(name, text),
  }
}

function readBlocks(page: string, text: string): Block[] {
  const blocks: Block[] = []
  let previous: Block | undefined
  for (const match of text.matchAll(FENCE)) {
    const [whole, comments = '', language = '', body = ''] = match
    const line = text.slice(0, match.index + Math.max(0, whole.indexOf('```'))).split('\n').length
    const { deed, clauses } = match.groups ?? {}
    if (deed !== undefined) {
      const run = readInstructions(clauses === undefined ? '' : `<!-- run: ${clauses} -->`, `${page}:${line}`)
      blocks.push({ page, line, code: '', run: { ...run, deed } })
      continue
    }
    const run = readInstructions(comments, `${page}:${line}`)
    const session = language === 'text' && body.startsWith('$ ')
    if (language === 'text' && previous !== undefined && !session && run.notHere === undefined) {
      blocks[blocks.length - 1] = { ...previous, promised: body }
      previous = undefined
      continue
    }
    previous = undefined
    if (session) {
      const [first = '', ...rest] = body.split('\n')
      blocks.push({ page, line, code: first.slice(2), run, promised: rest.join('\n') })
    } else if (language === 'sh' || run.saveAs !== undefined) {
      previous = { page, line, code: body, run }
      blocks.push(previous)
      if (run.saveAs !== undefined) previous = undefined
    }
  }
  return blocks
}

function readInstructions(comments: string, place: string): Instructions {
  const clauses = [...comments.matchAll(/^<!-- run: (.+) -->$/gm)].flatMap(([, words = '']) => words.split('; '))
  return clauses.reduce((all, clause) => {
    for (const [pattern, apply] of CLAUSES) {
      const found = pattern.exec(clause)
      if (found !== null) return apply(all, found.slice(1))
    }
    throw new Error(`${place}: "${clause}" says nothing about running a block`)
  }, PLAIN)
}

/** The first promised line that does not follow in the output, if any: in order, spaces alike, `…` for anything. */
export function missingLine(promised: string, output: string): string | undefined {
  const lines = output.split('\n').map(collapse)
  let from = 0
  for (const line of promised.split('\n').map(collapse)) {
    if (line === '' || line === '…') continue
    const pattern = new RegExp(`^${line.split(/ ?… ?/).map(escapePattern).join('.*')}$`)
    const found = lines.findIndex((candidate, index) => index >= from && pattern.test(candidate))
    if (found === -1) return line
    from = found + 1
  }
  return undefined
}

function collapse(line: string): string {
  return line.trim().replace(/\s+/g, ' ')
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
