/** Tools of the server under test that change it while clients are connected. */

import { prompt, resource, type Server, tool } from '@portico/sdk/server'
import { z } from 'zod'

export function createChangingTools(server: () => Server) {
  const kind = z.enum(['tool', 'prompt', 'resource'])
  return {
    grow: tool({ description: 'Adds a tool, prompt or resource', input: z.object({ kind }) }, ({ kind }) => {
      if (kind === 'tool')
        server().tool(
          'grown',
          tool({ description: 'New here' }, () => 'grown'),
        )
      if (kind === 'prompt')
        server().prompt(
          'grown',
          prompt({ description: 'New here' }, () => 'grown'),
        )
      if (kind === 'resource')
        server().resource(
          'grown',
          resource({ uri: 'note://grown' }, () => 'grown'),
        )
      return `added a ${kind}`
    }),
    shrink: tool({ description: 'Takes it away again', input: z.object({ kind }) }, ({ kind }) => {
      return String(server().remove(kind, kind === 'resource' ? 'note://grown' : 'grown'))
    }),
    touch: tool({ description: 'Changes a resource', input: z.object({ uri: z.string() }) }, ({ uri }) => {
      server().changed(uri)
      return `touched ${uri}`
    }),
  }
}
