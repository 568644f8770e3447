/** All about one server, in a drawer beside the cards: which tab is open is kept in the address. */

import { Drawer, ScrollArea, Tabs } from '@mantine/core'
import type { ServerCard } from 'portico/web-api'
import { go } from '../app/route.ts'
import { toVisible } from '../app/text/text.ts'
import { Chip } from '../app/tone.tsx'
import { Changes } from './changes.tsx'
import { Doctor } from './doctor.tsx'
import { Output } from './output.tsx'
import { Overview } from './overview.tsx'
import { isRemote, lookOf } from './server-state.ts'
import classes from './servers.module.css'
import { SignIn } from './sign-in.tsx'

const TABS = ['overview', 'doctor', 'logs', 'changes', 'sign-in']

interface ServerDrawerProps {
  readonly server: ServerCard | undefined
  readonly tab: string | undefined
}

export function ServerDrawer({ server, tab = 'overview' }: ServerDrawerProps) {
  const look = server === undefined ? undefined : lookOf(server)
  return (
    <Drawer
      opened={server !== undefined}
      onClose={() => go('/servers')}
      size="46rem"
      closeButtonProps={{ 'aria-label': 'Close' }}
      title={
        <span className={classes.drawerTitle}>
          {toVisible(server?.name ?? '')} {look !== undefined && <Chip tone={look.tone}>{look.word}</Chip>}
        </span>
      }
    >
      {server !== undefined && (
        <Tabs
          value={TABS.includes(tab) ? tab : 'overview'}
          onChange={(next) => go('/servers', { open: server.name, tab: next ?? undefined })}
        >
          <ScrollArea type="never">
            <Tabs.List mb="md" style={{ flexWrap: 'nowrap' }}>
              <Tabs.Tab value="overview">Overview</Tabs.Tab>
              <Tabs.Tab value="doctor">Doctor</Tabs.Tab>
              <Tabs.Tab value="logs">Output</Tabs.Tab>
              <Tabs.Tab value="changes">
                Changes{server.items.quarantined > 0 && ` (${server.items.quarantined})`}
              </Tabs.Tab>
              {isRemote(server) && <Tabs.Tab value="sign-in">Sign-in</Tabs.Tab>}
            </Tabs.List>
          </ScrollArea>
          <Tabs.Panel value="overview">
            <Overview server={server} />
          </Tabs.Panel>
          <Tabs.Panel value="doctor">
            <Doctor server={server.name} />
          </Tabs.Panel>
          <Tabs.Panel value="logs">
            <Output server={server.name} level={server.config.settings.logLevel} />
          </Tabs.Panel>
          <Tabs.Panel value="changes">
            <Changes server={server.name} />
          </Tabs.Panel>
          <Tabs.Panel value="sign-in">
            <SignIn server={server} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Drawer>
  )
}
