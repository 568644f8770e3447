/** Rules, what they would say, what was remembered, and what was done: each in a tab that the address names. */

import { ScrollArea, Tabs } from '@mantine/core'
import { Page } from '../app/page.tsx'
import { go, useRoute } from '../app/route.ts'
import { Audit } from './audit.tsx'
import { Explain } from './explain.tsx'
import { Grants } from './grants.tsx'
import { RulesEditor } from './rules-editor.tsx'
import { Shadow } from './shadow.tsx'
import { useDraft } from './use-draft.ts'

const TABS = [
  ['rules', 'Rules'],
  ['explain', 'Explain'],
  ['remembered', 'Remembered'],
  ['shadow', 'Shadow'],
  ['audit', 'Audit'],
] as const

export function PolicyScreen() {
  const { query } = useRoute()
  const tab = TABS.find(([name]) => name === query.get('tab'))?.[0] ?? 'rules'
  const draft = useDraft()
  return (
    <Page title="Policy and audit" lead="What is allowed, asked or denied, and the record of every decision.">
      <Tabs value={tab} onChange={(next) => go('/policy', { tab: next ?? undefined })}>
        <ScrollArea type="never">
          <Tabs.List mb="lg" style={{ flexWrap: 'nowrap' }}>
            {TABS.map(([name, title]) => (
              <Tabs.Tab key={name} value={name}>
                {title}
                {name === 'rules' && draft.dirty && ' •'}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </ScrollArea>
        <Tabs.Panel value="rules">
          <RulesEditor draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="explain">
          <Explain draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="remembered">
          <Grants />
        </Tabs.Panel>
        <Tabs.Panel value="shadow">
          <Shadow draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="audit">
          <Audit />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
