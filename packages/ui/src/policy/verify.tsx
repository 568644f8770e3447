/** Whether the audit log is as it was written: each record carries the hash of the one before. */

import { Button } from '@mantine/core'
import type { ApiResult } from 'portico/web-api'
import { useState } from 'react'
import { useAction } from '../app/data/use-api.ts'
import { toCount, toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import classes from './policy.module.css'

export function Verify() {
  const { run, busy } = useAction('audit.verify')
  const [report, setReport] = useState<ApiResult<'audit.verify'>>()
  const button = (
    <Button
      size="compact-sm"
      variant={report === undefined ? 'filled' : 'default'}
      loading={busy}
      onClick={() => void run({}).then((result) => result !== undefined && setReport(result))}
    >
      {report === undefined ? 'Verify the log' : 'Verify again'}
    </Button>
  )
  if (report === undefined) {
    return (
      <Note tone="calm" title="Each record holds the hash of the one before it" actions={button}>
        Verify reads them all and reports any that was changed, removed or inserted.
      </Note>
    )
  }
  if (report.ok) {
    return (
      <Note tone="good" role="status" title={`${toCount(report.records, 'record')}, none changed`} actions={button}>
        The chain of hashes is complete.
      </Note>
    )
  }
  return (
    <Note tone="bad" role="alert" title="The log was changed" actions={button}>
      <ul className={classes.plain}>
        {report.problems.map((problem) => (
          <li key={problem}>{toVisible(problem)}</li>
        ))}
      </ul>
    </Note>
  )
}
