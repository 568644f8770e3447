/** Capabilities for revisions that know fewer of them. */

import type { ServerCapabilities } from '../capabilities.ts'
import { omit } from './omission.ts'
import type { Vocabulary } from './vocabulary.ts'

type CapabilityWriter = (capabilities: ServerCapabilities) => ServerCapabilities

export function createCapabilityWriter(vocabulary: Vocabulary): CapabilityWriter {
  const unknown = [...unknownCapabilities(vocabulary), ...(vocabulary.completionsCapability ? [] : ['completions'])]
  return (capabilities) => omit(capabilities, unknown)
}

/** What neither side of such a revision can declare. */
export function unknownCapabilities({ extensions, coreTasks }: Vocabulary): string[] {
  return [...(extensions ? [] : ['extensions']), ...(coreTasks ? [] : ['tasks'])]
}
