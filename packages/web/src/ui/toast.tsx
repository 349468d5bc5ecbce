export const useToast = () => (_text: string) => {};
