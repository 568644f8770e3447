/** A resource template as its form needs it: the variables, and the address that what was typed makes. */

import { parseTemplate } from '@portico/sdk/internal-text'

interface TemplateForm {
  readonly names: readonly string[]
  /** Variables without a value are left out, as RFC 6570 has it. */
  readonly expand: (values: ReadonlyMap<string, string>) => string
}

/** A server may list what is no template: it has no variables then, and stays as it is. */
export function readTemplate(source: string): TemplateForm {
  try {
    const { names, expand } = parseTemplate(source)
    return { names, expand: (values) => expand(Object.fromEntries([...values].filter(([, value]) => value !== ''))) }
  } catch {
    return { names: [], expand: () => source }
  }
}
