/** What documents look like, from a sample: the paths of their fields, with the types that were seen and how often. */

interface Field {
  readonly path: string
  readonly types: Map<string, number>
  seen: number
}

const MAX_FIELDS = 300
const MAX_DEPTH = 6

export class Shape {
  readonly #fields = new Map<string, Field>()
  #documents = 0
  #left = 0

  add(document: object): void {
    this.#documents++
    this.#members(document, '', 0)
  }

  toLines(): string[] {
    const lines = [...this.#fields.values()].map(({ path, types, seen }) => {
      const kinds = [...types.entries()].sort((a, b) => b[1] - a[1]).map(([type]) => type)
      const share = seen >= this.#documents ? '' : `, in ${Math.max(1, Math.round((seen / this.#documents) * 100))}%`
      return `${path}: ${kinds.join(' | ')}${share}`
    })
    return this.#left === 0 ? lines : [...lines, `… and ${this.#left} more fields were seen`]
  }

  #members(value: object, prefix: string, depth: number): void {
    for (const [name, member] of Object.entries(value)) this.#note(`${prefix}${name}`, member, depth)
  }

  #note(path: string, value: unknown, depth: number): void {
    const type = typeOf(value)
    const field = this.#field(path)
    if (field === undefined) return
    field.seen++
    field.types.set(type, (field.types.get(type) ?? 0) + 1)
    if (depth >= MAX_DEPTH) return
    if (type === 'object') this.#members(value as object, `${path}.`, depth + 1)
    // The first few stand for the others.
    if (type === 'array') for (const item of (value as unknown[]).slice(0, 5)) this.#note(`${path}[]`, item, depth + 1)
  }

  #field(path: string): Field | undefined {
    const known = this.#fields.get(path)
    if (known !== undefined) return known
    if (this.#fields.size >= MAX_FIELDS) {
      this.#left++
      return undefined
    }
    const made = { path, types: new Map<string, number>(), seen: 0 }
    this.#fields.set(path, made)
    return made
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Date) return 'date'
  if (typeof value !== 'object') return typeof value
  const { _bsontype: kind } = value as { readonly _bsontype?: unknown }
  return typeof kind === 'string' ? kind : 'object'
}
