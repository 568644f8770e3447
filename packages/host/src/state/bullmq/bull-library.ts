/** As much of the libraries `bullmq`, `redis` and `pg` as the queue of tasks uses. */

import type { PostgresLibrary } from '../postgres/postgres-library.ts'

export interface BullLibrary {
  readonly Queue: new (
    name: string,
    options: BullOptions,
    backend?: BullBackend,
  ) => {
    add(name: string, data: object, options: object): Promise<unknown>
    on(event: 'error', listener: (error: unknown) => void): unknown
    close(): Promise<void>
  }
  readonly Worker: new (
    name: string,
    work: (job: { readonly data: unknown }) => Promise<void>,
    options: BullOptions & { readonly concurrency: number },
    backend?: BullBackend,
  ) => BullWorker
  readonly createPostgresBackend: BullBackend
  /** Makes the tables, or brings them to this version. One at a time, whoever else does. */
  runMigrations(client: object, schema: string): Promise<unknown>
}

interface BullOptions {
  /** A client of `redis`, or a pool of `pg`. */
  readonly connection: object
  readonly prefix?: string
}

/** What makes a queue of a connection; only ever handed back to the library. */
export type BullBackend = (...args: never[]) => unknown

export interface BullWorker {
  on(event: 'error', listener: (error: unknown) => void): unknown
  close(force?: boolean): Promise<void>
}

export interface RedisClientLibrary {
  createClient(options: { readonly url: string; readonly name: string }): RedisHandle
}

export interface RedisHandle {
  connect(): Promise<unknown>
  on(event: 'error', listener: (error: unknown) => void): unknown
  destroy(): void
}

/** A pool whose connections find the tables of BullMQ by themselves. */
export interface BullPoolLibrary {
  readonly Pool: new (
    options: ConstructorParameters<PostgresLibrary['Pool']>[0] & { readonly options: string },
  ) => BullPool
}

export interface BullPool {
  connect(): Promise<{ release(): void }>
  on(event: 'error', listener: (error: unknown) => void): unknown
  end(): Promise<void>
}
