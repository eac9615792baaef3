/** How much of a file is shown, and which image of a stack (0 is the first). */
export interface Choice {
  k?: number;
  image?: number;
}

/** Shows a .pcai file in an <img>. Settles when it is whole, or has failed; lazy images do both later. */
export function show(img: HTMLImageElement, url: string | URL, options?: Choice): Promise<void>;

/** Decodes a file that is in memory, perhaps at a half, a quarter or an eighth of its size. */
export function decode(content: ArrayBuffer | Uint8Array, options?: Choice & { reduction?: 1 | 2 | 4 | 8 }): Promise<ImageData>;

/** Shows each <img> below a node whose source ends in .pcai, also those that come later. The script does it for the document. */
export function watch(root: Document | Element | ShadowRoot): void;

/** <pcai-image src alt k image width height loading>. */
export class PcaiImage extends HTMLElement {
  /** What shows it, in a shadow tree; `pcai-image::part(img)` in style sheets. */
  readonly img: HTMLImageElement;
}

declare global {
  interface HTMLElementTagNameMap {
    "pcai-image": PcaiImage;
  }
  interface HTMLElementEventMap {
    /** A file could not be shown; `detail` is a sentence that says why. */
    pcaierror: CustomEvent<string>;
  }
}
