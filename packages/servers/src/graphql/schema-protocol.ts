/** What this process and the one that reads and checks schemas say to each other. Types only. */

import type { IntrospectionQuery } from 'graphql'

export interface SchemaRequest {
  readonly kind: 'sdl' | 'introspection'
  readonly text: string
}

export interface SchemaReply {
  readonly data?: IntrospectionQuery
  readonly failed?: string
}
