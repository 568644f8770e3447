/** As much of the libraries `bullmq` and `redis` as the queue of tasks uses. */

export interface BullLibrary {
  readonly Queue: new (
    name: string,
    options: { readonly connection: RedisHandle; readonly prefix: string },
  ) => {
    add(name: string, data: object, options: object): Promise<unknown>
    on(event: 'error', listener: (error: unknown) => void): unknown
    close(): Promise<void>
  }
  readonly Worker: new (
    name: string,
    work: (job: { readonly data: unknown }) => Promise<void>,
    options: { readonly connection: RedisHandle; readonly prefix: string; readonly concurrency: number },
  ) => BullWorker
}

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
