/** One database of a MongoDB server through the vendor's own driver, which is loaded here and nowhere else. */

import { timeLimit } from '@portico/sdk/internal'
import { PorticoError, ToolError } from '@portico/sdk/server'
import type { Db, Document, MongoClient } from 'mongodb'
import type { Asker } from '../caller.ts'
import { FairTurns } from '../machine/fair-turns.ts'
import { createRedactor, type Redactor } from '../network/redaction.ts'
import { toPlainText } from '../text/plain-text.ts'
import { requireReadingRole } from './role.ts'

type Driver = typeof import('mongodb')

/** How large an answer of the mongo server may be, and how long a question may run. */
export interface MongoLimits {
  /** Documents in one answer. */
  readonly maxDocuments: number
  /** Bytes in one answer; it ends before that. */
  readonly maxResultBytes: number
  /** Bytes of one text; longer ones are cut and marked. */
  readonly maxValueBytes: number
  readonly timeoutMs: number
}

interface OpenOptions {
  readonly url: string
  readonly database: string | undefined
  readonly allowPowerfulRole: boolean
  readonly limits: MongoLimits
}

export class MongoDatabase {
  readonly #driver: Driver
  readonly #client: MongoClient
  readonly #db: Db
  readonly #redactor: Redactor
  readonly limits: MongoLimits
  /** A question that runs keeps a connection and, at the server, a cursor until it ends. */
  readonly #turns = new FairTurns({
    slots: MAX_CONNECTIONS,
    maxWaiting: MAX_WAITING,
    refusal: () =>
      new ToolError(`${MAX_WAITING} of your questions wait for this database already. Try again when one has ended.`),
  })

  private constructor(driver: Driver, client: MongoClient, db: Db, parts: { redactor: Redactor; limits: MongoLimits }) {
    this.#driver = driver
    this.#client = client
    this.#db = db
    this.#redactor = parts.redactor
    this.limits = parts.limits
  }

  static async open({ url, database, allowPowerfulRole, limits }: OpenOptions): Promise<MongoDatabase> {
    const driver = await loadDriver()
    const redactor = createRedactor()
    for (const secret of secretsOf(url)) redactor.add(secret)
    let client: MongoClient | undefined
    try {
      client = new driver.MongoClient(url, {
        appName: 'portico-mongo',
        serverSelectionTimeoutMS: limits.timeoutMs,
        connectTimeoutMS: limits.timeoutMs,
        maxPoolSize: MAX_CONNECTIONS,
        retryWrites: false,
      })
      const name = database ?? nameIn(url)
      if (name === undefined) throw new PorticoError('invalid-arguments', NO_NAME)
      await client.connect()
      const opened = new MongoDatabase(driver, client, client.db(name), { redactor, limits })
      const status = await opened.#db.command({ connectionStatus: 1, showPrivileges: true })
      if (!allowPowerfulRole) requireReadingRole(status)
      return opened
    } catch (error) {
      await client?.close().catch(() => {})
      if (error instanceof PorticoError) throw error
      throw new PorticoError('invalid-arguments', `MongoDB cannot be used: ${redactor.text(messageOf(error))}`)
    }
  }

  get name(): string {
    return this.#db.databaseName
  }

  /** A value of a tool's arguments as the database takes it: `{"$oid": …}` is an ObjectId. */
  toBson(value: object): Document {
    try {
      return this.#driver.BSON.EJSON.deserialize(value as Document, { relaxed: true }) as Document
    } catch (error) {
      throw new ToolError(`A value cannot be read as extended JSON: ${toPlainText(messageOf(error))}`)
    }
  }

  toJson(document: Document): unknown {
    return this.#driver.BSON.EJSON.serialize(withDigits(document) as Document, { relaxed: true })
  }

  collections(asker: Asker): Promise<Document[]> {
    return this.#run(asker, async (inside) =>
      this.#db.listCollections({}, { nameOnly: true, authorizedCollections: true, ...inside }).toArray(),
    )
  }

  indexes(collection: string, asker: Asker): Promise<Document[]> {
    return this.#run(asker, () =>
      this.#db.collection(collection).listIndexes({ maxTimeMS: this.limits.timeoutMs }).toArray(),
    )
  }

  command(command: Document, asker: Asker): Promise<Document> {
    return this.#run(asker, (inside) => this.#db.command({ ...command, maxTimeMS: this.limits.timeoutMs }, inside))
  }

  /** Hands over one document after the other until `take` has enough of them. */
  read(collection: string, question: Question, take: (document: Document) => boolean, asker: Asker): Promise<void> {
    return this.#run(asker, async (inside) => {
      const options = { ...inside, maxTimeMS: this.limits.timeoutMs, batchSize: BATCH, allowDiskUse: false }
      const one = this.#db.collection(collection)
      const cursor =
        'pipeline' in question
          ? one.aggregate(question.pipeline, options)
          : one.find(question.filter, { ...options, ...question.shape })
      try {
        for await (const document of cursor) if (!take(document)) return
      } finally {
        await cursor.close().catch(() => {})
      }
    })
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  #run<T>({ caller, signal }: Asker, action: Action<T>): Promise<T> {
    return this.#turns.run(caller, () => this.#within(signal, action), signal)
  }

  async #within<T>(signal: AbortSignal, action: Action<T>): Promise<T> {
    const deadline = timeLimit(this.limits.timeoutMs)
    const ended = AbortSignal.any([signal, deadline])
    // The driver asks the server to give up the cursor, and waits for its answer without end.
    const over = new Promise<never>((_, reject) =>
      ended.addEventListener('abort', () => reject(ended.reason), { once: true }),
    )
    try {
      return await Promise.race([action({ signal: ended }), over])
    } catch (error) {
      if (error instanceof PorticoError) throw error
      if (signal.aborted) throw signal.reason
      if (deadline.aborted || codeOf(error) === TIMED_OUT) {
        throw new ToolError(`It took longer than ${this.limits.timeoutMs} ms (option "timeoutMs"). Ask for less.`)
      }
      throw new ToolError(`MongoDB: ${this.#redactor.excerpt(messageOf(error), 1_000)}`, {
        cause: error,
      })
    }
  }
}

type Question =
  | {
      readonly filter: Document
      readonly shape: { projection?: Document; sort?: Document; skip?: number; limit: number }
    }
  | { readonly pipeline: Document[] }

type Action<T> = (inside: { readonly signal: AbortSignal }) => Promise<T>

const MAX_CONNECTIONS = 4
/** Questions of one caller that wait for their turn. */
const MAX_WAITING = 32
const BATCH = 50
/** MaxTimeMSExpired. */
const TIMED_OUT = 50
const NO_NAME = 'Which database? Name it in the url (mongodb://host/name), or with the option "database"'

async function loadDriver(): Promise<Driver> {
  try {
    return await import('mongodb')
  } catch (cause) {
    throw new PorticoError(
      'invalid-arguments',
      'The mongo server needs the package "mongodb", which is not installed: npm install mongodb',
      { cause },
    )
  }
}

/** Whole numbers too large for JavaScript keep their digits: an id must not become another one. */
function withDigits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDigits)
  if (typeof value !== 'object' || value === null) return value
  if ('_bsontype' in value) return value._bsontype === 'Long' ? { $numberLong: String(value) } : value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withDigits(member)]))
}

function nameIn(url: string): string | undefined {
  const [, name] = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url) ?? []
  return name === undefined ? undefined : decoded(name)
}

function secretsOf(url: string): string[] {
  // A sign in it that should have been spelled (@, /) makes it longer than the address says.
  const found = [/^[^:]*:\/\/[^/@:]*:([^/@]*)@/, /^[^:]*:\/\/[^/@:]*:(.*)@/s].map((shape) => shape.exec(url)?.[1] ?? '')
  return found.flatMap((password) => [password, decoded(password)]).filter((secret) => secret.length > 0)
}

/** As it is where it cannot be decoded: a "%" in it may be one. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
