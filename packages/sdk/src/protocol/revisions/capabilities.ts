/** Capabilities for revisions that know fewer of them, or (roots) that dropped a part. */

import { type ClientCapabilities, canAsk, type ServerCapabilities } from '../capabilities.ts'
import { omit, replace } from './omission.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface CapabilityWriter {
  server(capabilities: ServerCapabilities): ServerCapabilities
  client(capabilities: ClientCapabilities): ClientCapabilities
}

export function createCapabilityWriter(vocabulary: Vocabulary): CapabilityWriter {
  const { extensions, coreTasks, completionsCapability, elicitation, richForms, samplingTools, rootsListChanged } =
    vocabulary
  const unknown = [...(extensions ? [] : ['extensions']), ...(coreTasks ? [] : ['tasks'])]
  const unknownOfServers = [...unknown, ...(completionsCapability ? [] : ['completions'])]
  const unknownOfClients = [...unknown, ...(elicitation ? [] : ['elicitation'])]

  return {
    server: (capabilities) => omit(capabilities, unknownOfServers),
    client(capabilities) {
      let kept = omit(capabilities, unknownOfClients)
      if (kept.elicitation !== undefined && !richForms) {
        // `{}` means forms here, so a client that opens URLs alone has nothing to declare.
        kept = canAsk(kept, 'form')
          ? replace(kept, 'elicitation', omit(kept.elicitation, ['form', 'url']))
          : omit(kept, ['elicitation'])
      }
      if (kept.sampling !== undefined && !samplingTools) {
        kept = replace(kept, 'sampling', omit(kept.sampling, ['tools', 'context']))
      }
      if (kept.roots !== undefined && !rootsListChanged) {
        kept = replace(kept, 'roots', omit(kept.roots, ['listChanged']))
      }
      return kept
    },
  }
}
