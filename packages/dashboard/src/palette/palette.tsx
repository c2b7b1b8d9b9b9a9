/** Command palette and list of shortcuts of the whole application; each is loaded when opened. */
import { type ComponentType, useEffect, useMemo, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { useShortcuts } from '../kit/shortcuts.ts'
import { useTexts } from '../texts/texts.tsx'
import type { PaletteDestination, PaletteView, PaletteViewProps } from './palette-props.ts'

export const Palette = ({ destinations }: { destinations: readonly PaletteDestination[] }) => {
  const { palette: texts } = useTexts()
  const [view, setView] = useState<PaletteView>(null)
  const Views = usePaletteViews(view)
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

/** Without a network the next key press loads the views again. */
const usePaletteViews = (view: PaletteView): ComponentType<PaletteViewProps> | null => {
  const [Views, setViews] = useState<ComponentType<PaletteViewProps> | null>(null)
  useEffect(() => {
    if (view === null || Views !== null) return
    import('./palette-views.tsx').then(
      (module) => setViews(() => module.PaletteViews),
      () => undefined,
    )
  }, [Views, view])
  return Views
}
