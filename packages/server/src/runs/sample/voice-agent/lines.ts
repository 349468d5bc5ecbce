/** The words of the sample voice agent: a greeting, then one answer for each turn of the caller. The last one ends the call. */
export const GREETING = "Grand Hotel, reservations. How can I help you?";

export const ANSWERS = [
  "Gladly. A double room costs ninety euros a night, with breakfast, and parking is free of charge. Which day would you like to arrive?",
  "Thank you, your room is booked. Is there anything else?",
  "Thank you for calling the Grand Hotel. Goodbye!",
] as const;
