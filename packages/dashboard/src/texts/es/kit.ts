/** Spanish texts of controls of the kit. */
import type { kit as model } from '../en/kit.ts'

export const kit: typeof model = {
  editor: {
    preview: 'Vista previa',
    marks: {
      bold: 'negrita',
      italic: 'cursiva',
      code: 'código',
      others: 'listas, citas y enlaces',
    },
  },
  copy: {
    copy: 'Copiar',
    copied: 'Copiado',
    failed: 'No se copió el texto. Selecciónelo y cópielo usted mismo.',
  },
  dialogs: { cancel: 'Cancelar' },
  choices: {
    search: 'Buscar en las opciones',
    none: 'Ninguna opción coincide',
    more: 'Hay más opciones. Búsquelas.',
  },
  joins: {
    labelled: '{label}: {value}',
    separator: ', ',
    arrow: '→',
  },
}
