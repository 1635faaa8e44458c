/** Wraps a callback so that it never throws: errors are handled by the request it belongs to. */
export type Contain = <Given extends readonly unknown[]>(
  step: (...given: Given) => void,
) => (...given: Given) => void;
