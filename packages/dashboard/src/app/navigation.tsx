/** Main navigation: a column in groups; on a phone a bar, and a dialog with the remaining views. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { Dialog } from '../kit/dialog.tsx'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import { destinationGroups, type NavigationItem } from './destinations.ts'
import classes from './navigation.module.css'

type NavigationProps = { destinations: readonly NavigationItem[] }

export const Navigation = ({ destinations }: NavigationProps) => {
  const { navigation: texts } = useTexts()
  return (
    <>
      <nav className={classes.column} aria-label={texts.label}>
        <GroupedLinks destinations={destinations} />
      </nav>
      <Bar destinations={destinations} />
    </>
  )
}

const Bar = ({ destinations }: NavigationProps) => {
  const { navigation: texts } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const others = destinations.filter((one) => !isOnBar(one))
  return (
    <nav className={classes.bar} aria-label={texts.label}>
      {destinations.filter(isOnBar).map((one) => (
        <ItemLink key={one.to} destination={one} />
      ))}
      {others.length > 0 && (
        <Button className={classes.link} onPress={() => setOpen(true)}>
          <Icon name="menu" />
          {texts.more}
        </Button>
      )}
      <Dialog
        title={texts.more}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        closeLabel={texts.close}
        size="large"
      >
        <div className={classes.list}>
          <GroupedLinks destinations={others} onFollow={() => setOpen(false)} />
        </div>
      </Dialog>
    </nav>
  )
}

const GroupedLinks = ({ destinations, onFollow }: NavigationProps & { onFollow?: () => void }) => {
  const { navigation: texts } = useTexts()
  return destinationGroups.map(({ heading, destinations: all }) => {
    const shown = destinations.filter((one) => (all as readonly NavigationItem[]).includes(one))
    if (shown.length === 0) return null
    return (
      <div key={heading ?? ''} className={classes.group}>
        {heading !== null && <p className={classes.heading}>{texts.groups[heading]}</p>}
        {shown.map((one) => (
          <ItemLink key={one.to} destination={one} onFollow={onFollow} />
        ))}
      </div>
    )
  })
}

const ItemLink = ({
  destination: { to, icon, text },
  onFollow,
}: {
  destination: NavigationItem
  onFollow?: (() => void) | undefined
}) => {
  const { navigation: texts } = useTexts()
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/' }}
      className={classes.link}
      onClick={() => onFollow?.()}
    >
      <Icon name={icon} />
      {texts[text]}
    </Link>
  )
}

const isOnBar = (destination: NavigationItem): boolean =>
  'isOnBar' in destination && destination.isOnBar
