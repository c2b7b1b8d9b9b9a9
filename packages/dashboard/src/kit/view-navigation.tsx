/** Links between the views of one subject, below its title. */
import type { ReactNode } from 'react'
import classes from './view-navigation.module.css'

export const ViewNavigation = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav ref={showCurrent} className={classes.views} aria-label={label}>
    {children}
  </nav>
)

/** A phone may not have room for all links. */
const showCurrent = (navigation: HTMLElement | null): void =>
  navigation
    ?.querySelector('[aria-current]')
    ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
