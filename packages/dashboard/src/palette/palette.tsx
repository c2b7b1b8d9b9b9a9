/** Command palette and list of shortcuts of the whole application; each is loaded when opened. */
import { useMemo, useState } from 'react'
import { useLoaded } from '../app/use-loaded.ts'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { useShortcuts } from '../kit/shortcuts.ts'
import { useTexts } from '../texts/texts.tsx'
import type { PaletteDestination, PaletteView } from './palette-props.ts'

const loadViews = async () => (await import('./palette-views.tsx')).PaletteViews

export const Palette = ({ destinations }: { destinations: readonly PaletteDestination[] }) => {
  const { palette: texts } = useTexts()
  const [view, setView] = useState<PaletteView>(null)
  const Views = useLoaded(loadViews, { isNeeded: view !== null, isLoadedAhead: false })
  useShortcuts(
    useMemo(
      () => [
        { key: 'k', withControl: true, onPress: () => setView('palette') },
        { key: '?', onPress: () => setView('shortcuts') },
      ],
      [],
    ),
  )
  return (
    <>
      <Button emphasis="quiet" aria-label={texts.title} onPress={() => setView('palette')}>
        <Icon name="search" />
      </Button>
      {Views !== null && <Views view={view} destinations={destinations} onChange={setView} />}
    </>
  )
}
