/** The frame around every screen: navigation, the palette, notifications about questions, and whether the program is there. */

import { useMantineColorScheme } from '@mantine/core'
import { Suspense, useCallback, useEffect, useState } from 'react'
import { useOnline } from '../app/data/events.ts'
import { useRefusal, watchInfo } from '../app/data/info-store.ts'
import { useQuestions, watchQuestions } from '../app/data/question-store.ts'
import { watchServers } from '../app/data/server-store.ts'
import { Boundary, Waiting } from '../app/feedback.tsx'
import { useRoute } from '../app/route.ts'
import { Note } from '../app/tone.tsx'
import { QuestionNotices } from '../inbox/question-notices.tsx'
import { Gate } from './gate.tsx'
import { BottomBar, Sidebar, TopBar } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { SCREENS } from './screens.tsx'
import classes from './shell.module.css'
import { ShortcutHelp } from './shortcut-help.tsx'
import { useShortcuts } from './shortcuts.ts'

// Once for the page, however often the shell is drawn.
watchInfo()
watchServers()
watchQuestions()

export function Shell() {
  const { path } = useRoute()
  const online = useOnline()
  const refusal = useRefusal()
  const screen = SCREENS.find((one) => one.path === path) ?? SCREENS[0]!
  const waiting = useQuestions().questions?.length ?? 0
  const [helps, setHelps] = useState(false)
  const { setColorScheme, colorScheme } = useMantineColorScheme()
  const openHelp = useCallback(() => setHelps(true), [])
  useShortcuts(openHelp)
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${screen.title} · Portico`
  }, [waiting, screen.title])
  const Shown = screen.component
  return (
    <div className={classes.shell}>
      {/* The hash is the route, so that this cannot be a link to a place in the page. */}
      <button type="button" className={classes.skip} onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <TopBar />
      <Sidebar current={screen.path} waiting={waiting} onHelp={openHelp} />
      <main id="main" className={classes.main} tabIndex={-1}>
        {!online && refusal === undefined && (
          <div className={classes.offline}>
            <Note tone="warn" role="alert" title="The program behind this page does not answer">
              Start it again with <code>npm start</code> or <code>npx portico</code>. This page finds it by itself on
              the same port.
            </Note>
          </div>
        )}
        <Gate>
          <Boundary key={screen.path}>
            <Suspense
              fallback={
                <div className={classes.loading}>
                  <Waiting />
                </div>
              }
            >
              <Shown />
            </Suspense>
          </Boundary>
        </Gate>
      </main>
      <BottomBar current={screen.path} waiting={waiting} onHelp={openHelp} />
      <Palette onHelp={openHelp} scheme={colorScheme} onScheme={setColorScheme} />
      <ShortcutHelp opened={helps} onClose={() => setHelps(false)} />
      <QuestionNotices quiet={screen.path === '/inbox'} />
    </div>
  )
}
