/** What lists show (tools, resources, templates, prompts) and what a side says of itself, for revisions with fewer fields. */

import type { Implementation } from '../content.ts'
import type { Prompt, PromptArgument } from '../prompts.ts'
import type { Resource, ResourceTemplate } from '../resources.ts'
import type { Tool } from '../tools.ts'
import type { ContentWriter } from './content-blocks.ts'
import { mapItems, omit, replace } from './omission.ts'
import { toObjectSchema } from './output-schemas.ts'
import type { Vocabulary } from './vocabulary.ts'

interface DefinitionWriter {
  implementation(info: Implementation): Implementation
  tool(tool: Tool): Tool
  resource(resource: Resource): Resource
  template(template: ResourceTemplate): ResourceTemplate
  prompt(prompt: Prompt): Prompt
}

export function createDefinitionWriter(vocabulary: Vocabulary, content: ContentWriter): DefinitionWriter {
  const { metadata, icons, toolAnnotations, structuredContent, anyStructuredContent } = vocabulary
  const tooNew = [...(metadata ? [] : ['title', '_meta']), ...(icons ? [] : ['icons'])]
  const tooNewOfTools = [
    ...tooNew,
    // Only the tasks of 2025-11-25 give `execution` a meaning, and those are not offered.
    'execution',
    ...(toolAnnotations ? [] : ['annotations']),
    ...(structuredContent ? [] : ['outputSchema']),
  ]
  const tooNewOfImplementations = [
    ...(metadata ? [] : ['title']),
    ...(icons ? [] : ['icons', 'description', 'websiteUrl']),
  ]
  const argument = (value: PromptArgument): PromptArgument => omit(value, ['title'])

  return {
    implementation: (info) => omit(info, tooNewOfImplementations),
    tool(tool) {
      const kept = omit(tool, tooNewOfTools)
      if (kept.outputSchema === undefined || anyStructuredContent) return kept
      return replace(kept, 'outputSchema', toObjectSchema(kept.outputSchema))
    },
    resource: (resource) => content.annotated(omit(resource, tooNew)),
    template: (template) => content.annotated(omit(template, tooNew)),
    prompt(prompt) {
      const kept = omit(prompt, tooNew)
      if (metadata || kept.arguments === undefined) return kept
      return replace(kept, 'arguments', mapItems(kept.arguments, argument))
    },
  }
}
