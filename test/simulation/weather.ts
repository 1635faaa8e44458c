/** How bad the connection between the controllers and the server gets, and for how long. */
import type { Chance } from "./chance.ts";

export interface Weather {
  /**
   * Whether the controllers are separate processes. Then requests take time, answers and events
   * wait for the disk and may be lost, and the controllers outlive the server. Otherwise they see
   * every write at once and die with the server, as in `tally up`.
   */
  readonly isRemote: boolean;
  readonly mayLoseAnswers: boolean;
  /** The probabilities that a request fails before it takes effect, and that its answer is lost. */
  refusals: number;
  lostAnswers: number;
  /** The probabilities that an event and all later ones are delayed, and that it is repeated. */
  stalls: number;
  repetitions: number;
  /** The probabilities that a watch breaks early, and that the events it missed are compacted. */
  breaks: number;
  expiries: number;
  /** The duration of the slowest request, in milliseconds. */
  travelMs: number;
}

export function drawWeather(chance: Chance): Weather {
  const isRemote = chance.happens(0.7);
  const isRough = isRemote && chance.happens(0.7);
  const mayLoseAnswers = isRough && chance.happens(0.7);
  const rate = (highest: number) => (isRough ? (highest * chance.between(0, 100)) / 100 : 0);
  return {
    isRemote,
    mayLoseAnswers,
    refusals: rate(0.2),
    lostAnswers: mayLoseAnswers ? rate(0.15) : 0,
    stalls: rate(0.15),
    repetitions: rate(0.2),
    breaks: rate(0.8),
    expiries: rate(0.5),
    travelMs: isRemote ? chance.pick([1, 10, 60, 400]) : 0,
  };
}

/** From here on everything arrives. */
export function clearUp(weather: Weather): void {
  Object.assign(weather, CLEAR);
}

const CLEAR = {
  refusals: 0,
  lostAnswers: 0,
  stalls: 0,
  repetitions: 0,
  breaks: 0,
  expiries: 0,
  travelMs: 2,
};
