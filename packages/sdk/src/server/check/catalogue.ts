/**
 * Everything a server offers, in the neutral model and whoever may see it. Linters, lock files and generated tests read
 * this; clients get their lists from the features, which apply the access rules.
 */

import type { Implementation } from '../../protocol/content.ts'
import type { Prompt } from '../../protocol/prompts.ts'
import type { Resource, ResourceTemplate } from '../../protocol/resources.ts'
import type { Tool } from '../../protocol/tools.ts'
import type { PromptEntry } from '../features/prompts.ts'
import type { ResourceEntry, TemplateEntry } from '../features/resources.ts'
import type { ToolEntry } from '../features/tools.ts'
import type { Registry } from '../items/registry.ts'

/** Everything that a server defines, in the form of its lists, whoever may see it. */
export interface Catalogue {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
}

/** Where the items are kept. */
export interface Shelves {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly tools: Registry<ToolEntry>
  readonly resources: Registry<ResourceEntry>
  readonly templates: Registry<TemplateEntry>
  readonly prompts: Registry<PromptEntry>
}

export function createCatalogue(shelves: Shelves): Catalogue {
  return {
    info: shelves.info,
    instructions: shelves.instructions,
    tools: [...shelves.tools.values()].map(({ tool }) => tool),
    resources: [...shelves.resources.values()].map(({ resource }) => resource),
    resourceTemplates: [...shelves.templates.values()].map(({ template }) => template),
    prompts: [...shelves.prompts.values()].map(({ prompt }) => prompt),
  }
}
