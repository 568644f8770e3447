/** On the first visit: what can be tried at once, without a model and without a key. */

import { Button, CloseButton } from '@mantine/core'
import { PlayIcon } from '@radix-ui/react-icons'
import { dismissTour, startTour, useTourOffered } from '../app/data/tour.ts'
import classes from './servers.module.css'

export function TourOffer() {
  if (useTourOffered()) return null
  return (
    <section className={classes.offerTour} aria-label="A tour">
      <div className={classes.offerWords}>
        <strong>New here?</strong> A scripted conversation shows tools, approvals and results. It needs no model and no
        key.
      </div>
      <Button leftSection={<PlayIcon />} onClick={() => void startTour()}>
        Start the tour
      </Button>
      <CloseButton aria-label="Not now" onClick={dismissTour} />
    </section>
  )
}
