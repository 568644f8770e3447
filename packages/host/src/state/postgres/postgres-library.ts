/** As much of the library `pg` as is used. */

export interface PostgresLibrary {
  readonly Pool: new (
    options: PostgresOptions & { readonly max: number; readonly allowExitOnIdle: boolean },
  ) => PostgresPool
  readonly Client: new (options: PostgresOptions) => PostgresClient
}

export interface PostgresOptions {
  readonly connectionString: string
  readonly connectionTimeoutMillis: number
  readonly query_timeout: number
  readonly application_name: string
  readonly keepAlive: boolean
}

export interface PostgresPool {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly PostgresRow[] }>
  on(event: 'error', listener: (error: unknown) => void): unknown
  end(): Promise<void>
}

export interface PostgresClient {
  connect(): Promise<unknown>
  query(text: string): Promise<unknown>
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', listener: (error: unknown) => void): unknown
  unref?(): void
  end(): Promise<void>
}

export type PostgresRow = { readonly [column: string]: unknown }
