/**
 * What every measured server does, whoever wrote its library: `add` two numbers, return a `text` of a size, report
 * `steps` of progress, and list as many tools as it is told to. Kept free of any schema library, so that each server
 * declares the inputs in the way of its own documentation.
 */

export const INFO = { name: 'bench', version: '1.0.0' } as const

export const ADD = 'Adds two numbers and says the sum.'
export const TEXT = 'Returns a text of so many characters.'
export const STEPS = 'Reports so many steps of progress and is done.'

export function add(a: number, b: number): string {
  return String(a + b)
}

const texts = new Map<number, string>()

/** Made once per size: the making is not what is measured. */
export function textOf(size: number): string {
  let text = texts.get(size)
  if (text === undefined) {
    text = PARAGRAPH.repeat(Math.ceil(size / PARAGRAPH.length)).slice(0, size)
    texts.set(size, text)
  }
  return text
}

const PARAGRAPH =
  'A tool answers with text like this: words, "quoted words", a path C:\\temp\\file, and a line break at the end.\n'

/** The tools beyond the three above, when a list of a certain length is wanted. */
export function fillers(): { name: string; description: string }[] {
  const count = Math.max(0, Number(process.env.BENCH_TOOLS ?? 3) - 3)
  return Array.from({ length: count }, (_, index) => ({
    name: `find_in_store_${String(index).padStart(4, '0')}`,
    description: `Looks for entries of store ${index} that match a query and returns the best of them.`,
  }))
}

export const NUMBERS = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const

export const SIZE = { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] } as const

export const COUNT = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } as const

export const QUERY = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'Words to look for' },
    limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to return at most' },
    recent: { type: 'boolean', description: 'Newest first' },
    tags: { type: 'array', items: { type: 'string' }, description: 'Only entries with all of these tags' },
  },
  required: ['query'],
} as const
