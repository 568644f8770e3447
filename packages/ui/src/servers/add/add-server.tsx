/** Adding a server, four ways in; each ends in the same review of the whole command before anything is written. */

import { Modal, ScrollArea, Tabs } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { loadServers } from '../../app/data/server-store.ts'
import { showDone } from '../../app/data/use-api.ts'
import { go } from '../../app/route.ts'
import { type Proposal, Review } from '../review.tsx'
import { AddByForm } from './add-by-form.tsx'
import { AddByImport } from './add-by-import.tsx'
import { AddByPaste } from './add-by-paste.tsx'
import { AddFromRegistry } from './add-from-registry.tsx'

const WAYS = [
  ['paste', 'Paste or type', AddByPaste],
  ['form', 'Form', AddByForm],
  ['import', 'From other programs', AddByImport],
  ['registry', 'Registry', AddFromRegistry],
] as const

/** `tab` comes from the address; the dialog is closed without it. */
export function AddServer({ tab }: { readonly tab: string | undefined }) {
  const isPhone = useMediaQuery('(max-width: 48em)')
  const [proposal, setProposal] = useState<Proposal>()
  const close = () => go('/servers')
  const isOpen = tab !== undefined
  // However it was closed, by its buttons or by going back, the next look begins at the beginning.
  useEffect(() => {
    if (!isOpen) setProposal(undefined)
  }, [isOpen])
  const added = (names: readonly string[]) => {
    if (names.length > 0) showDone(names.length === 1 ? 'Server added' : 'Servers added', names.join(', '))
    void loadServers()
    close()
  }
  const current = WAYS.some(([way]) => way === tab) ? tab : 'paste'
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={proposal === undefined ? 'Add a server' : 'Review before adding'}
      size="44rem"
      fullScreen={isPhone}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {proposal !== undefined && <Review proposal={proposal} onBack={() => setProposal(undefined)} onAdded={added} />}
      {/* Kept while it is reviewed, so that going back loses nothing. */}
      <div hidden={proposal !== undefined}>
        <Tabs value={current} onChange={(next) => go('/servers', { add: next ?? 'paste' })} keepMounted>
          <ScrollArea type="never">
            <Tabs.List mb="md" style={{ flexWrap: 'nowrap' }}>
              {WAYS.map(([way, title]) => (
                <Tabs.Tab key={way} value={way}>
                  {title}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          </ScrollArea>
          {WAYS.map(([way, , Way]) => (
            <Tabs.Panel key={way} value={way}>
              {isOpen && <Way active={current === way} onProposal={setProposal} />}
            </Tabs.Panel>
          ))}
        </Tabs>
      </div>
    </Modal>
  )
}
