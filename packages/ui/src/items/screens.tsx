/** The three screens of what servers offer: tools, resources with their templates, prompts. */

import { FileTextIcon, LightningBoltIcon, ReaderIcon } from '@radix-ui/react-icons'
import { useRoute } from '../app/route.ts'
import { ItemBrowser } from './item-browser.tsx'
import type { Item } from './item-store.ts'
import { PromptPanel } from './prompt-panel.tsx'
import { AddressPanel, ResourcePanel, TemplatePanel } from './resource-panel.tsx'
import { ToolPanel } from './tool-panel.tsx'

export function ToolsScreen() {
  return (
    <ItemBrowser
      title="Tools"
      lead="Run anything that a connected server can do, by hand."
      path="/tools"
      kinds={[{ kind: 'tool', label: 'Tools' }]}
      history="tool"
      icon={<LightningBoltIcon width={22} height={22} />}
      hint="Which tool?"
      panel={panelOf}
    />
  )
}

export function ResourcesScreen() {
  const { query } = useRoute()
  const uri = query.get('uri')
  return (
    <ItemBrowser
      title="Resources"
      lead="Read what servers hold, and watch it change."
      path="/resources"
      kinds={[
        { kind: 'resource', label: 'Listed' },
        { kind: 'template', label: 'Templates' },
      ]}
      history="resource"
      icon={<FileTextIcon width={22} height={22} />}
      hint="Which resource?"
      panel={panelOf}
      missing={(name) => <AddressPanel key={name} uri={name} />}
      other={uri === null ? undefined : <AddressPanel key={uri} uri={uri} />}
    />
  )
}

export function PromptsScreen() {
  return (
    <ItemBrowser
      title="Prompts"
      lead="Texts that servers have prepared for a conversation."
      path="/prompts"
      kinds={[{ kind: 'prompt', label: 'Prompts' }]}
      history="prompt"
      icon={<ReaderIcon width={22} height={22} />}
      hint="Which prompt?"
      panel={panelOf}
    />
  )
}

function panelOf(item: Item) {
  switch (item.kind) {
    case 'tool':
      return <ToolPanel item={item} />
    case 'resource':
      return <ResourcePanel item={item} />
    case 'template':
      return <TemplatePanel item={item} />
    default:
      return <PromptPanel item={item} />
  }
}
