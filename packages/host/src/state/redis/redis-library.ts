/** As much of the library `redis` as is used. */

export interface RedisLibrary {
  createClient(options: {
    readonly url: string
    readonly name: string
    readonly disableOfflineQueue: boolean
    readonly socket: { readonly connectTimeout: number; readonly reconnectStrategy: false }
  }): RedisConnection
}

export interface RedisConnection {
  connect(): Promise<unknown>
  sendCommand(command: string[]): Promise<unknown>
  subscribe(channels: string[], listener: (text: string, channel: string) => void): Promise<unknown>
  unsubscribe(channels: string[]): Promise<unknown>
  ping(): Promise<unknown>
  on(event: 'error' | 'end', listener: (error: unknown) => void): unknown
  destroy(): void
}
