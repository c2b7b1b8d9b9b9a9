/** Views that the shortcuts of the application open. */

import { PaletteDialog } from './palette-dialog.tsx'
import type { PaletteViewProps } from './palette-props.ts'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'

export const PaletteViews = (props: PaletteViewProps) => (
  <>
    <PaletteDialog {...props} />
    <ShortcutsDialog isOpen={props.view === 'shortcuts'} onClose={() => props.onChange(null)} />
  </>
)
