/**
 * The databases of one server, by name, each with its own engine and its own rights. Where there is only one it has no name, and
 * no tool has an argument for it.
 */

import { PorticoError, ToolError } from '@portico/sdk/server'
import { Catalogue } from './catalogue.ts'
import type { Engine } from './engine.ts'
import { FairEngine } from './fair-engine.ts'

export interface Database {
  /** Empty where there is only one. */
  readonly name: string
  readonly engine: FairEngine
  readonly catalogue: Catalogue
  readonly write: boolean
  /** Which database it is, without the name and password that it is opened with: pages of one are not those of another. */
  readonly place: string
}

/** Where a database is, and what may be done with it. */
export interface SqlDatabase {
  /** `sqlite:path`, `postgres://…`, `mysql://…` or `mariadb://…`. A sample shop unless given. */
  readonly url?: string
  /** Lets `execute` change it, which asks before each change. Off by default. */
  readonly write?: boolean
  /** The schemas (databases in MySQL) to list. What may be queried is the role's affair. */
  readonly schemas?: readonly string[]
  /** Connects as a role that can reach the files or programs of the database's machine. */
  readonly allowPowerfulRole?: boolean
}

const MAX_DATABASES = 20
const NAME = /^[a-z][a-z\d_-]{0,31}$/i
const DATABASE = { type: 'string', maxLength: 32, description: 'Which database' } as const

export class Databases {
  readonly all: readonly Database[]

  constructor(all: readonly Database[]) {
    this.all = all
  }

  get isOne(): boolean {
    return this.all.length === 1
  }

  get canWrite(): boolean {
    return this.all.some(({ write }) => write)
  }

  /** What statements are written in. */
  get dialects(): string {
    return [...new Set(this.all.map(({ engine }) => engine.dialect))].join(' or ')
  }

  get placeholders(): string {
    return [...new Set(this.all.map(({ engine }) => engine.placeholder))].join(' or ')
  }

  /** The argument is there only where there is a choice; where there is none, `pick` is never given one. */
  get input(): { readonly database: typeof DATABASE } {
    const chosen = this.isOne ? {} : { database: { ...DATABASE, enum: this.all.map(({ name }) => name) } }
    return chosen as { readonly database: typeof DATABASE }
  }

  pick(name: string | undefined): Database {
    const [first] = this.all
    if (name === undefined && this.isOne && first !== undefined) return first
    const found = this.all.find((database) => database.name === name)
    if (found !== undefined) return found
    const names = this.all.map((database) => database.name).join(', ')
    throw new ToolError(name === undefined ? `Say which database: ${names}.` : `There is no such database: ${names}.`)
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ engine }) => engine.close()))
  }
}

/** Opens them one after another; when one cannot be used, those before it are closed again. */
export async function openDatabases(
  given: { readonly [name: string]: SqlDatabase },
  open: (database: SqlDatabase) => Promise<Engine>,
): Promise<Databases> {
  const names = Object.keys(given)
  if (names.length === 0 || names.length > MAX_DATABASES) {
    throw new PorticoError('invalid-arguments', `sql takes between 1 and ${MAX_DATABASES} databases`)
  }
  const opened: Database[] = []
  try {
    for (const [name, database] of Object.entries(given)) {
      if (names.length > 1 && !NAME.test(name)) {
        throw new PorticoError('invalid-arguments', `"${name}" is no name for a database: letters, digits, - and _`)
      }
      const engine = new FairEngine(await open(database))
      opened.push({
        name: names.length > 1 ? name : '',
        engine,
        catalogue: new Catalogue(engine),
        write: database.write ?? false,
        place: `${name} ${database.url?.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/s, '')}`,
      })
    }
  } catch (error) {
    await new Databases(opened).close()
    throw error
  }
  return new Databases(opened)
}
