/**
 * Everything a server offers, in the neutral model and whoever may see it. Linters, lock files and generated tests read
 * this; clients get their lists from the features, which apply the access rules.
 */

import type { Implementation } from '../../protocol/content.ts'
import type { Prompt } from '../../protocol/prompts.ts'
import type { Resource, ResourceTemplate } from '../../protocol/resources.ts'
import type { Tool } from '../../protocol/tools.ts'
import type { Collection } from '../feature.ts'

/** Everything that a server defines, in the form of its lists, whoever may see it. */
export interface Catalogue {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
}

/** What has items to show. */
interface Catalogued {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly collections: readonly Collection[]
}

export function createCatalogue({ info, instructions, collections }: Catalogued): Catalogue {
  const items = collections.map(({ member, registry, show }) => [member, [...registry.values()].map(show)])
  return { info, instructions, ...EMPTY, ...Object.fromEntries(items) }
}

/** A server without a feature has none of its items. */
const EMPTY = { tools: [], resources: [], resourceTemplates: [], prompts: [] }
