/** French texts of controls of the kit. */
import type { kit as model } from '../en/kit.ts'

export const kit: typeof model = {
  editor: {
    preview: 'Aperçu',
    marks: {
      bold: 'gras',
      italic: 'italique',
      code: 'code',
      others: 'listes, citations et liens',
    },
  },
  copy: {
    copy: 'Copier',
    copied: 'Copié',
    failed: 'Le texte n’a pas été copié. Sélectionnez-le et copiez-le vous-même.',
  },
  dialogs: { cancel: 'Annuler' },
  choices: {
    search: 'Rechercher dans les options',
    none: 'Aucune option ne correspond',
    more: 'D’autres options existent. Recherchez-les.',
  },
  joins: {
    labelled: '{label}\u00a0: {value}',
    separator: ', ',
    arrow: '→',
  },
}
