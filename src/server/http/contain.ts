/** Makes a callback that never throws: its exception is handled by the request it belongs to. */
export type Contain = <Given extends readonly unknown[]>(
  step: (...given: Given) => void,
) => (...given: Given) => void;
