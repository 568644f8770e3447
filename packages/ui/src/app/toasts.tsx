/** Where short notices appear: at a corner, and on a telephone above the bar under the thumb, which they must not cover. */

import { Notifications } from '@mantine/notifications'
import classes from './toasts.module.css'

export function Toasts() {
  return <Notifications className={classes.toasts} position="bottom-right" limit={4} containerWidth={360} />
}
